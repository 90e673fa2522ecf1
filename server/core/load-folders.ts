import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Imports `<root>/<folder>/index.ts` of every folder in `root`, by name. The folder is the registry: there is no other list. */
export async function loadFolders(root: string): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
  const modules = await Promise.all(
    folders.map(async folder => [folder, await importModule(join(root, folder, 'index.ts'))] as const),
  )
  return new Map(modules)
}

const importModule = (path: string): Promise<Record<string, unknown>> => import(path)

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedFolders, Modules } from '../program.ts'

const SERVER = join(import.meta.dir, '..')
const FEATURES = join(SERVER, '..', 'features')

export async function loadModules(): Promise<Modules> {
  const [providers, dialects, features] = await Promise.all([
    loadProviders(),
    loadFolders(join(SERVER, 'dialects')),
    loadFeatures(),
  ])
  return { providers, dialects, features }
}

/** Imports `<root>/<folder>/index.ts` of every folder in `root`, keyed by folder name. */
export const loadFolders = (root: string): Promise<LoadedFolders> => importFiles(root, 'index.ts')

/** Imports the manifest of every provider. */
export const loadProviders = (): Promise<LoadedFolders> => loadFolders(join(SERVER, 'providers'))

/** Imports `features/<feature>/server/index.ts` of every feature that has one, keyed by folder name. */
export const loadFeatures = (): Promise<LoadedFolders> => importFiles(FEATURES, join('server', 'index.ts'))

async function importFiles(root: string, file: string): Promise<LoadedFolders> {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
  const modules = await Promise.all(
    folders
      .filter(folder => existsSync(join(root, folder, file)))
      .map(async folder => [folder, await importModule(join(root, folder, file))] as const),
  )
  return new Map(modules)
}

const importModule = (path: string): Promise<Record<string, unknown>> => import(path)

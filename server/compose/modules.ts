import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '../api/handle.ts'
import type { FileSet } from '../http/static-files.ts'

const SERVER = join(import.meta.dir, '..')

type LoadedFolders = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/**
 * Modules that are found by their folder: the folder is the registry, there is no other list. The compiled executable
 * cannot read folders, so its build writes the same lists into the program.
 */
export interface Modules {
  readonly providers: LoadedFolders
  readonly dialects: LoadedFolders
  /** Resources of the management API. */
  readonly resources: LoadedFolders
  /** Other gateways whose data can be imported. */
  readonly sources: LoadedFolders
}

/** Everything the program ships with: loaded from folders, or embedded in the compiled executable. */
export interface Program {
  readonly modules: Modules
  readonly consoleFiles: FileSet
  /** The built documentation site, which is read when it is requested. */
  readonly docsFolder: string
  readonly version: string
}

export async function loadModules(): Promise<Modules> {
  const [providers, dialects, resources, sources] = await Promise.all([
    loadFolders(join(SERVER, 'providers')),
    loadFolders(join(SERVER, 'dialects')),
    loadFolders(join(SERVER, 'api')),
    loadFolders(join(SERVER, 'import', 'sources')),
  ])
  return { providers, dialects, resources, sources }
}

/** Imports `<root>/<folder>/index.ts` of every folder in `root`, keyed by folder name. */
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

/** The routes of all loaded API resources. Throws when a folder does not export `routes`. */
export const routesOf = (modules: LoadedFolders): readonly Route[] =>
  [...modules].flatMap(([folder, { routes }]) => {
    if (!isRoutes(routes))
      throw new Error(`api/${folder}/index.ts must export \`routes\`, a list of routes made by handle()`)
    return routes
  })

const isRoutes = (value: unknown): value is readonly Route[] =>
  Array.isArray(value) && value.every(route => typeof route?.run === 'function' && 'endpoint' in route)

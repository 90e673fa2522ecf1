import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSet } from '../http/static-files.ts'

const SERVER = join(import.meta.dir, '..')
const FEATURES = join(SERVER, '..', 'features')

/** Modules by the name of their folder. */
export type LoadedFolders = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/**
 * Modules that are found by their folder: the folder is the registry, there is no other list. The compiled executable
 * cannot read folders, so its build writes the same lists into the program.
 */
export interface Modules {
  readonly providers: LoadedFolders
  readonly dialects: LoadedFolders
  /** The server's halves of the features. */
  readonly features: LoadedFolders
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
  const [providers, dialects, features, sources] = await Promise.all([
    loadProviders(),
    loadFolders(join(SERVER, 'dialects')),
    loadFeatures(),
    loadFolders(join(FEATURES, 'import', 'server', 'sources')),
  ])
  return { providers, dialects, features, sources }
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

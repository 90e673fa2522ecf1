import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '../api/handle.ts'
import type { Feature } from '../feature.ts'
import type { FileSet } from '../http/static-files.ts'

const SERVER = join(import.meta.dir, '..')
const FEATURES = join(SERVER, '..', 'features')

type LoadedFolders = ReadonlyMap<string, Readonly<Record<string, unknown>>>

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

/** The loaded features by folder name. Throws when a folder does not export `feature`. */
export const featuresOf = (modules: LoadedFolders): ReadonlyMap<string, Feature> =>
  new Map(
    [...modules].map(([folder, { feature }]) => {
      if (!isFeature(feature))
        throw new Error(`features/${folder}/server/index.ts must export \`feature\`, made by defineFeature()`)
      return [folder, feature]
    }),
  )

const isFeature = (value: unknown): value is Feature => typeof value === 'object' && value !== null

/** The routes of the management API of all loaded features. */
export const routesOf = (modules: LoadedFolders): readonly Route[] =>
  [...featuresOf(modules).values()].flatMap(({ routes = [] }) => routes)

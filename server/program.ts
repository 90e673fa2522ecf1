import type { FileSet } from './http/static-files.ts'

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
}

/** Everything the program ships with: loaded from folders, or embedded in the compiled executable. */
export interface Program {
  readonly modules: Modules
  readonly consoleFiles: FileSet
  /** The built documentation site, which is read when it is requested. */
  readonly docsFolder: string
  readonly version: string
}

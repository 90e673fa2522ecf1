import type { Modules } from '../compose/modules.ts'
import type { FileSet } from '../http/static-files.ts'

/** What the program brings along: read from folders, or, in the compiled program, written into it. */
export interface Program {
  readonly modules: Modules
  readonly consoleFiles: FileSet
  readonly version: string
}

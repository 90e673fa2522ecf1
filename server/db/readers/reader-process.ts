import { type SQLQueryBindings, Database as SqliteFile, type Statement } from 'bun:sqlite'
import { setPriority } from 'node:os'
import { errorMessage } from '../../core/errors.ts'

/** The argument with which the compiled executable starts as a reader process. The path of the file follows. */
export const READER_COMMAND = 'read-database'

/** A query that a reader process executes. */
export interface ReadRequest {
  readonly sql: string
  readonly parameters: SQLQueryBindings[]
}

/** Exactly one of the two is set. */
export interface ReadReply {
  readonly rows?: readonly unknown[]
  readonly failure?: string
}

/** Relaying goes first when processors are short. */
const NICENESS = 10
/** 16 MiB. */
const CACHE_KIB = 16_384
/** Only the recovery of a journal after a crash locks readers out. */
const BUSY_MS_MAX = 5000

/**
 * The program of a reader process: executes queries on a database file, one after another, for the process that started
 * it, and ends with that process.
 */
export function serveReads(path: string): void {
  setPriority(NICENESS)
  const file = new SqliteFile(path, { readonly: true, strict: true })
  file.exec(`pragma busy_timeout = ${BUSY_MS_MAX}`)
  file.exec(`pragma cache_size = -${CACHE_KIB}`)
  process.on('message', (request: ReadRequest) => process.send?.(execute(file, request)))
  process.on('disconnect', () => process.exit(0))
  // A terminal sends these to all its processes, and the parent still completes the requests in progress.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
}

function execute(file: SqliteFile, { sql, parameters }: ReadRequest): ReadReply {
  try {
    using statement: Statement = file.prepare(sql)
    return { rows: statement.all(parameters) }
  } catch (error) {
    return { failure: errorMessage(error) }
  }
}

if (import.meta.main) serveReads(process.argv[2] ?? '')

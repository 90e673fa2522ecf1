import { dirname, join } from 'node:path'
import type { Subprocess } from 'bun'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { isExecutable } from '../../core/executable.ts'
import { queryTimeout } from '../engine/query-errors.ts'
import { READER_COMMAND, type ReadReply } from './reader-process.ts'

/** An idle process is ended, since it keeps the memory of its largest query. */
const IDLE_MS_MAX = 10 * 60_000

/** Reader processes of one database file, started when they are needed. The caller bounds how many are acquired. */
export class SqliteReaders {
  private readonly path: string
  private readonly queryMsMax: number
  private readonly all: SqliteReader[] = []
  private readonly idle: SqliteReader[] = []

  constructor(path: string, queryMsMax: number) {
    this.path = path
    this.queryMsMax = queryMsMax
  }

  acquire(): Promise<SqliteReader> {
    const reader = this.idle.pop() ?? this.add()
    reader.begin()
    return Promise.resolve(reader)
  }

  release(reader: SqliteReader): void {
    reader.rest()
    this.idle.push(reader)
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(reader => reader.end()))
  }

  private add(): SqliteReader {
    const reader = new SqliteReader(this.path, this.queryMsMax)
    this.all.push(reader)
    return reader
  }
}

/**
 * A connection to a process that reads the file. A process instead of a thread, because SQLite in this runtime cannot be
 * interrupted: a thread ends only after its query, a process at once.
 */
class SqliteReader implements DatabaseConnection {
  private readonly path: string
  private readonly queryMsMax: number
  private process: Subprocess | undefined
  private reply: PromiseWithResolvers<ReadReply> | undefined
  private idleTimer: NodeJS.Timeout | undefined

  constructor(path: string, queryMsMax: number) {
    this.path = path
    this.queryMsMax = queryMsMax
  }

  begin(): void {
    clearTimeout(this.idleTimer)
  }

  rest(): void {
    this.idleTimer = setTimeout(() => void this.end(), IDLE_MS_MAX)
  }

  /** Throws `query.too_slow` at the time limit, after which the next query starts another process. */
  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const reply = Promise.withResolvers<ReadReply>()
    // When sending throws, nobody else handles the rejection that follows it.
    reply.promise.catch(() => undefined)
    this.reply = reply
    this.process ??= this.start()
    const timer = setTimeout(() => {
      reply.reject(queryTimeout('too_slow'))
      void this.end()
    }, this.queryMsMax)
    try {
      this.process.send({ sql, parameters })
      const { rows, failure } = await reply.promise
      if (rows === undefined) throw new Error(failure)
      return { rows: typedRows<Row>(rows) }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Resolves when the process has ended. A query in progress fails. */
  async end(): Promise<void> {
    const { process } = this
    this.process = undefined
    this.reply?.reject(hasEnded())
    process?.kill('SIGKILL')
    await process?.exited
  }

  private start(): Subprocess {
    return Bun.spawn([...readerCommand(), this.path], {
      // SQLite writes large intermediate results to the working directory when there is no other.
      cwd: dirname(this.path),
      stdio: ['ignore', 'ignore', 'inherit'],
      serialization: 'json',
      ipc: (message: ReadReply, sender) => {
        if (sender === this.process) this.reply?.resolve(message)
      },
      onExit: ended => {
        if (this.process !== undefined && this.process !== ended) return
        this.process = undefined
        this.reply?.reject(hasEnded())
      },
    })
  }

  // biome-ignore lint/correctness/useYield: it always throws, since a process replies with whole results
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are not streamed from a reader')
  }
}

const hasEnded = () => new Error('the process that reads the database has ended')

/** Trusts that the rows have the shape that the query builder declares. */
const typedRows = <Row>(rows: readonly unknown[]) => rows as Row[]

const readerCommand = (): string[] =>
  isExecutable
    ? [process.execPath, READER_COMMAND]
    : [process.execPath, join(import.meta.dir, 'reader-process.ts')]

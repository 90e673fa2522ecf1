import { inTransaction } from '#server/db/engine/database.ts'
import { checkImported, type UsableChannel } from './check-imported.ts'
import type { ImportContext, ImportedRow, WriteBatch } from './import-context.ts'
import { addChannelQuestions, addRows, type ImportReport, tableReport } from './import-report.ts'
import type { ImportKind, LogReader, SourceReaders, TableReader } from './import-source.ts'
import {
  advanceNumbers,
  findImported,
  findImportProgress,
  insertImportRows,
  saveImportProgress,
} from './queries/import-rows.ts'
import type { SourceDatabase, SourcePage, SourceRow } from './queries/source-database.ts'
import { writeImportedChannels } from './write-channels.ts'
import { writeLogs } from './write-logs.ts'
import { writeOptions, writeRedemptions, writeTasks } from './write-others.ts'
import { writeTokens } from './write-tokens.ts'
import { writeUsers } from './write-users.ts'

export interface ImportRun {
  readonly database: SourceDatabase
  readonly readers: SourceReaders
  readonly context: ImportContext
  readonly report: ImportReport
  /** Unix seconds from which on log rows come; undefined: none. */
  readonly logsFrom: number | undefined
}

const ROWS_AT_ONCE = 2000
const LOGS_AT_ONCE = 20_000

/** Imports table by table, batch by batch: a batch comes whole or not at all. Returns the channels that can be used now. */
export async function runImport(run: ImportRun): Promise<readonly UsableChannel[]> {
  const { readers, context, logsFrom } = run
  await importTables(run, 'options', readers.options, writeOptions)
  await importTables(run, 'users', readers.users, writeUsers)
  await importTables(run, 'tokens', readers.tokens, writeTokens)
  await importTables(run, 'channels', readers.channels, writeImportedChannels)
  await importTables(run, 'redemptions', readers.redemptions, writeRedemptions)
  await importTables(run, 'drawings', readers.drawings, writeTasks)
  await importTables(run, 'tasks', readers.tasks, writeTasks)
  if (logsFrom !== undefined && readers.logs) await importLogs(run, readers.logs, logsFrom)
  for (const table of ['users', 'tokens', 'channels', 'redemptions', 'tasks'] as const)
    await advanceNumbers(context.db, context.engine, table)
  const { questions, usable } = await checkImported(context)
  addChannelQuestions(run.report, questions)
  return usable
}

async function importTables<Imported>(
  run: ImportRun,
  kind: ImportKind,
  readers: readonly TableReader<Imported>[] | undefined,
  write: WriteBatch<Imported>,
): Promise<void> {
  for (const reader of readers ?? []) await importTable(run, { kind, reader, write })
}

interface TableImport<Imported> {
  readonly kind: ImportKind
  readonly reader: TableReader<Imported>
  readonly write: WriteBatch<Imported>
  readonly from?: SourcePage['from']
}

async function importTable<Imported>(run: ImportRun, table: TableImport<Imported>): Promise<void> {
  const { reader, from } = table
  if (!reader.rows && !run.database.tables.has(reader.table)) return
  let rows = await readBatch(run.database, reader, { from })
  while (rows.length > 0) {
    await importBatch(run, { ...table, rows })
    rows = await readBatch(run.database, reader, { from, after: rows.at(-1)?.[reader.key] })
  }
}

async function readBatch(
  database: SourceDatabase,
  { table, key, rows }: TableReader<unknown>,
  { from, after }: Partial<Pick<SourcePage, 'from' | 'after'>>,
): Promise<readonly SourceRow[]> {
  if (!rows) return database.readPage({ table, key, after, from, limit: ROWS_AT_ONCE })
  const start = after === undefined ? 0 : rows.findIndex(row => row[key] === after) + 1
  return rows.slice(start, start + ROWS_AT_ONCE)
}

interface Batch<Imported> extends TableImport<Imported> {
  readonly rows: readonly SourceRow[]
}

async function importBatch<Imported>(run: ImportRun, batch: Batch<Imported>): Promise<void> {
  const { context } = run
  const { kind, reader, write, rows } = batch
  const idOf = (row: SourceRow) => sourceIdOf(row, reader)
  const present = await findImported(context.db, context.source, kind, rows.map(idOf))
  const fresh = rows.filter(row => !present.has(idOf(row)))
  const outcome = createOutcome()
  const imported = fresh.flatMap(row => readRow(row, reader, outcome))
  if (imported.length > 0)
    await inTransaction(context.db, async tx => {
      await write(tx, imported, context)
      const { source } = context
      await insertImportRows(
        tx,
        outcome.accepted.map(({ sourceId, id }) => ({ source, kind, source_id: sourceId, id })),
      )
    })
  record(run.report, batch, { ...outcome, present: present.size })
}

interface AcceptedRow {
  readonly sourceId: string
  readonly id: number
}

interface RowRemark {
  readonly row: string
  readonly name: string
  readonly reason: string
}

/** What became of the rows of a batch, known for certain once its transaction is over. */
interface BatchOutcome {
  readonly accepted: AcceptedRow[]
  readonly skipped: RowRemark[]
  readonly questions: RowRemark[]
}

const createOutcome = (): BatchOutcome => ({ accepted: [], skipped: [], questions: [] })

const sourceIdOf = (row: SourceRow, { key, idPrefix = '' }: TableReader<unknown>): string =>
  idPrefix + String(row[key])

function readRow<Imported>(
  row: SourceRow,
  reader: TableReader<Imported>,
  { accepted, skipped, questions }: BatchOutcome,
): readonly ImportedRow<Imported>[] {
  const sourceId = sourceIdOf(row, reader)
  const remark = (reason: string): RowRemark => ({ row: sourceId, name: reader.label(row), reason })
  const skip = (reason: string) => {
    skipped.push(remark(reason))
  }
  const reading = reader.read(row)
  if ('skip' in reading) {
    skip(reading.skip)
    questions.push(...(reading.questions ?? []).map(remark))
    return []
  }
  const accept = (id: number, ...notes: readonly string[]) => {
    accepted.push({ sourceId, id })
    questions.push(...[...reading.notes, ...notes].map(remark))
  }
  return [{ sourceId, record: reading.record, accept, skip }]
}

function record(
  report: ImportReport,
  {
    kind,
    reader,
    rows,
  }: Pick<Batch<unknown>, 'kind' | 'rows'> & { readonly reader: { readonly table: string } },
  { accepted, skipped, questions, present }: BatchOutcome & { readonly present: number },
): void {
  const table = tableReport(report, kind, reader.table)
  table.read += rows.length
  table.brought += accepted.length
  table.present += present
  addRows(table.skipped, skipped)
  addRows(table.questions, questions)
}

async function importLogs(run: ImportRun, reader: LogReader, seconds: number): Promise<void> {
  const from = seconds === 0 ? undefined : reader.since(seconds)
  if (reader.isNumbered) await importNumberedLogs(run, reader, from)
  else await importTable(run, { kind: 'logs', reader, write: writeLogs, from })
}

async function importNumberedLogs(
  run: ImportRun,
  reader: LogReader,
  from: SourcePage['from'],
): Promise<void> {
  const { database, context, report } = run
  const { table, key } = reader
  const next = (after: number) => database.readPage({ table, key, after, limit: LOGS_AT_ONCE, from })
  let progress = await findImportProgress(context.db, context.source, 'logs')
  let rows = await next(progress)
  while (rows.length > 0) {
    const outcome = createOutcome()
    const imported = rows.flatMap(row => readRow(row, reader, outcome))
    progress = Number(rows.at(-1)?.[key] ?? progress)
    await inTransaction(context.db, async tx => {
      await writeLogs(tx, imported, context)
      await saveImportProgress(tx, context.source, 'logs', progress)
    })
    record(report, { kind: 'logs', reader, rows }, { ...outcome, present: 0 })
    rows = await next(progress)
  }
}

import { existsSync } from 'node:fs'
import { ROLE } from '#contract/enums.ts'
import type { Options } from '#contract/options/define-option.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { findUserByRole } from '#server/db/accounts/users.ts'
import type { Database, OpenDatabase } from '#server/db/engine/database.ts'
import { type Send, send as sendToUpstream } from '#server/http-client/send.ts'
import type { Registry } from '#server/providers/registry.ts'
import { canServe, type UsableChannel } from './check-imported.ts'
import { type Comparison, compareCharges } from './compare-charges.ts'
import { installationOf } from './export-gateway.ts'
import { addChannelQuestions, COMPARED_DAYS, type ImportReport } from './import-report.ts'
import type { ImportSource, RecognizedProgram, SourceOptions, SourceReaders } from './import-source.ts'
import { probeChannels } from './probe-channels.ts'
import { hasImported } from './queries/import-rows.ts'
import { openSourceDatabase, type SourceDatabase } from './queries/source-database.ts'
import { runImport } from './run-import.ts'

const DAY_SECONDS = 86_400

export interface ImportRequest extends Omit<SourceOptions, 'modelsOf' | 'serves'> {
  /** A SQLite file, `mysql://…`, `postgres://…` or another place that a source reads. */
  readonly location: string
  readonly isDryRun: boolean
  /** Each enabled channel is asked once for a real answer. */
  readonly isProbed?: boolean
  /** The requests of the last days are charged again with the prices that came. */
  readonly isCompared?: boolean
  /** Unix seconds from which on log rows come; undefined: none. */
  readonly logsFrom: number | undefined
}

export interface ImportTarget {
  readonly database: OpenDatabase
  readonly secrets: Secrets
  readonly registry: Pick<Registry, 'byType'>
  /** All system options of this gateway. */
  readonly options: Options
  readonly rootPassword?: string | undefined
  readonly send?: Send
}

/** Recognizes the gateway behind the source and brings its data. Throws an Error for people when it cannot be read. */
export async function importGateway(
  request: ImportRequest,
  target: ImportTarget,
  sources: readonly ImportSource[],
): Promise<ImportReport> {
  const source = openFile(request.location, sources) ?? (await openSourceDatabase(request.location))
  try {
    const recognized = recognize(source, sources)
    const readers = await recognized.source.open(source, recognized.program, {
      ...request,
      modelsOf: type => target.registry.byType(type)?.models ?? [],
      serves: (type, kind) => canServe(target.registry.byType(type), kind),
    })
    await rejectOwnExport(readers, target)
    const report: ImportReport = {
      program: recognized.program,
      isDryRun: request.isDryRun,
      tables: new Map(),
      remarks: readers.remarks,
    }
    const { database, ...here } = target
    const { engine } = database
    const names = { source: readers.identity, program: recognized.program }
    const run = { ...request, database: source, readers, report }
    let usable: readonly UsableChannel[] = []
    let comparison: Comparison | undefined
    const importAll = async (db: Database) => {
      const context = { ...names, ...here, db, engine }
      usable = await runImport({ ...run, context })
      if (!request.isCompared || !readers.logs) return
      const since = nowSeconds() - COMPARED_DAYS * DAY_SECONDS
      comparison = await compareCharges({ database: source, reader: readers.logs, since }, context)
    }
    if (request.isDryRun) await withoutWriting(database, importAll)
    else await importAll(database.db)
    const compared = { ...report, ...(comparison && { comparison }) }
    return request.isProbed ? await probeAll(compared, usable, target) : compared
  } finally {
    await source.close()
  }
}

/** Adds to the report which channels did not respond. */
async function probeAll(
  report: ImportReport,
  usable: readonly UsableChannel[],
  { send = sendToUpstream }: ImportTarget,
): Promise<ImportReport> {
  const failures = await probeChannels(
    usable.map(({ channel }) => channel),
    send,
  )
  const questions = usable.flatMap(({ sourceId, channel: { id, name } }) => {
    const failure = failures.get(id)
    return failure === undefined ? [] : [{ row: sourceId, name, reason: failure }]
  })
  addChannelQuestions(report, questions)
  const outcome = `${usable.length - questions.length} of ${usable.length} channels responded`
  return { ...report, remarks: [...report.remarks, outcome] }
}

/** Everything in an export is here already, and balances would double. Throws an Error for people. */
async function rejectOwnExport(
  { origin, identity }: SourceReaders,
  { database: { db }, secrets }: ImportTarget,
): Promise<void> {
  if (origin?.installation !== installationOf(secrets)) return
  const root = await findUserByRole(db, ROLE.root)
  if (root?.created_at !== origin.rootCreatedAt) return
  if (await hasImported(db, identity)) return
  throw new Error('this is an export of the very database that it would come into')
}

/** A file that one of the sources reads itself. */
function openFile(location: string, sources: readonly ImportSource[]): SourceDatabase | undefined {
  if (!existsSync(location)) return undefined
  for (const source of sources) {
    const opened = source.openFile?.(location)
    if (opened) return opened
  }
  return undefined
}

interface Recognized extends RecognizedProgram {
  readonly source: ImportSource
}

function recognize(database: SourceDatabase, sources: readonly ImportSource[]): Recognized {
  for (const source of sources) {
    const found = source.recognize(database.tables)
    if (!found) continue
    if (found.missing.length === 0) return { ...found, source }
    throw new Error(
      `this looks like ${found.program}, but the database lacks ${found.missing.join(', ')}: it is incomplete, or of a version that is not known`,
    )
  }
  const tables = [...database.tables.keys()].sort().join(', ') || 'no tables'
  throw new Error(`no known gateway has a database with these tables: ${tables}`)
}

/** Does everything in one transaction and takes it back, so that the report is that of a real import. */
async function withoutWriting({ db }: OpenDatabase, work: (tx: Database) => Promise<void>): Promise<void> {
  const undone = new Error('the dry run is over')
  try {
    await db.transaction().execute(async tx => {
      await work(tx)
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
}

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createProgress } from '#server/cli/progress.ts'
import { type Config, readConfigWithoutWriting } from '#server/config/config.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import type { TableChecksum } from '#server/db/copy/checksums.ts'
import { moveDatabase } from '#server/db/copy/move-database.ts'
import {
  detectEngine,
  isMigrated,
  lockFile,
  type OpenDatabase,
  openDatabase,
} from '#server/db/engine/database.ts'
import { listHeartbeats } from '#server/db/system/processes.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import {
  describePlace,
  explainUnusable,
  findMoveState,
  finishArrival,
  type MoveState,
} from '../queries/move-state.ts'
import { cancelMove, moveWhileServing } from './live-move.ts'

const EXIT_USAGE_ERROR = 2
/** Heartbeats are much more frequent. A process that was killed counts as gone after this time. */
const GONE_SECONDS = 60
const NAME_WIDTH = 24
const COUNT_WIDTH = 12

/**
 * `tollgate move --to PLACE`: moves the whole database to another engine or server. Gateways that serve from it follow;
 * a stopped one is copied, and every table is compared. Returns the exit code.
 */
export async function move(args: readonly string[]): Promise<number> {
  const request = readRequest(args)
  if (request !== 'cancel' && typeof request === 'string') {
    process.stderr.write(`tollgate move: ${request}\n`)
    return EXIT_USAGE_ERROR
  }
  const config = readConfigWithoutWriting()
  const { databaseUrl } = config
  const isFile = detectEngine(databaseUrl) === 'sqlite'
  if (isFile && !existsSync(databaseUrl))
    throw new Error(`there is no database ${databaseUrl}: DATA_DIR and DATABASE_URL name it`)
  const unlock = isFile ? lockFile(`${databaseUrl}.lock`) : undefined
  // The source must be marked on disk before a gateway writes to the new database.
  const source = openDatabase({ url: databaseUrl, durability: 'power', connections: 1 })
  try {
    if (!(await isMigrated(source)))
      throw new Error('the database is empty or has the schema of another version: start the gateway once')
    if (typeof request === 'string') return await cancel(source)
    const state = await findMoveState(source)
    if (state?.phase === 'moved') return await finishMoved(state, request.to)
    const isServing = isFile ? unlock === undefined : await hasGateways(source)
    return isServing || state
      ? await moveLive(source, request.to, config)
      : await moveStopped(source, request.to, config)
  } finally {
    await source.close()
    unlock?.()
  }
}

/** Returns what is wrong with the arguments as a sentence. */
function readRequest(args: readonly string[]): { readonly to: string } | 'cancel' | string {
  const options = { to: { type: 'string' }, cancel: { type: 'boolean' } } as const
  const { values } = parseArgs({ args: [...args], options })
  if (values.cancel) return 'cancel'
  if (values.to === undefined || values.to === '')
    return '--to needs postgres://… of an empty database, or a file that does not exist'
  return { to: detectEngine(values.to) === 'sqlite' ? resolve(values.to) : values.to }
}

async function cancel(source: OpenDatabase): Promise<number> {
  const isCancelled = await cancelMove(source)
  process.stdout.write(
    isCancelled
      ? 'The move is cancelled. The copy is incomplete: delete it.\n'
      : 'No move of this database is in progress.\n',
  )
  return 0
}

/** The command was killed after the switch: only the new database still has to be marked as complete. */
async function finishMoved(state: MoveState, to: string): Promise<number> {
  if (state.place !== describePlace(to)) throw new Error(explainUnusable(state))
  const target = openDatabase({ url: to, durability: 'power', connections: 1 })
  try {
    await finishArrival(target, state.id)
    return await reportAudit(target, to)
  } finally {
    await target.close()
  }
}

async function moveLive(source: OpenDatabase, to: string, config: Config): Promise<number> {
  await requireBalanced(source)
  const progress = createProgress()
  try {
    const { checksums, pausedMs } = await moveWhileServing(source, {
      to,
      urlEncrypted: createSecrets(config.secretKey).encrypt(to),
      temporaryPath: join(config.dataDir, 'tollgate.db.move'),
      onRows: progress.onRows,
      say: line => process.stdout.write(`${line}\n`),
    })
    progress.end()
    process.stdout.write(
      `${renderChecksums(checksums)}\nRequests waited for ${pausedMs} ms, and none was refused.\n`,
    )
  } finally {
    progress.end()
  }
  const target = openDatabase({ url: to, durability: 'process', connections: 1 })
  try {
    return await reportAudit(target, to)
  } finally {
    await target.close()
  }
}

async function reportAudit(target: OpenDatabase, to: string): Promise<number> {
  const { drift } = await auditLedger(target.db)
  process.stdout.write(
    drift === 0
      ? 'The books of the new database balance.\n'
      : `The books are ${drift} units apart: run tollgate verify.\n`,
  )
  process.stdout.write(`${describeSettings(to)}\n`)
  return drift === 0 ? 0 : 1
}

async function moveStopped(source: OpenDatabase, to: string, { dataDir }: Config): Promise<number> {
  await requireBalanced(source)
  const progress = createProgress()
  try {
    const checksums = await moveDatabase(source, {
      to,
      temporaryPath: join(dataDir, 'tollgate.db.move'),
      onRows: progress.onRows,
      check: requireBalanced,
    })
    progress.end()
    process.stdout.write(
      `${renderChecksums(checksums)}\nThe books balance on both sides.\n${describeStart(to)}\n`,
    )
    return 0
  } finally {
    progress.end()
  }
}

async function hasGateways({ db }: OpenDatabase): Promise<boolean> {
  const latest = Math.max(0, ...(await listHeartbeats(db)).values())
  return latest > nowSeconds() - GONE_SECONDS
}

async function requireBalanced(database: OpenDatabase): Promise<void> {
  const { drift } = await auditLedger(database.db)
  if (drift !== 0) throw new Error(`the books are ${drift} units apart: run tollgate verify first`)
}

function renderChecksums(checksums: readonly TableChecksum[]): string {
  const lines = checksums.map(
    ({ table, rows, checksum }) =>
      `${table.padEnd(NAME_WIDTH)}${String(rows).padStart(COUNT_WIDTH)}  ${checksum}`,
  )
  const header = `${'table'.padEnd(NAME_WIDTH)}${'rows'.padStart(COUNT_WIDTH)}  checksum, equal on both sides`
  return [header, ...lines].join('\n')
}

const describeStart = (to: string): string =>
  detectEngine(to) === 'sqlite'
    ? `Start the gateway with ${to} as tollgate.db of its DATA_DIR, without DATABASE_URL, and with the same secret key.`
    : 'Start the gateway with DATABASE_URL set to the new database, and with the same secret key.'

const describeSettings = (to: string): string =>
  detectEngine(to) === 'sqlite'
    ? `Change the settings before the next start: ${to} as tollgate.db of DATA_DIR, and no DATABASE_URL. A start with the old ones is refused.`
    : 'Change the settings before the next start: DATABASE_URL names the new database. A start with the old ones is refused.'

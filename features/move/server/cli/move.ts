import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { recordCommand } from '#server/cli/command-change.ts'
import { createProgress } from '#server/cli/progress.ts'
import { readConfigWithoutWriting } from '#server/config/config.ts'
import { nowSeconds } from '#server/core/clock.ts'
import {
  detectEngine,
  isMigrated,
  lockDatabaseFile,
  type OpenDatabase,
  openDatabase,
} from '#server/db/engine/database.ts'
import { listHeartbeats } from '#server/db/system/processes.ts'
import type { CommandContext } from '#server/feature.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import type { TableChecksum } from '../queries/checksums.ts'
import { moveDatabase } from '../queries/move-database.ts'

const EXIT_USAGE_ERROR = 2
/** Heartbeats are much more frequent. A process that was killed counts as gone after this time. */
const GONE_SECONDS = 60
const NAME_WIDTH = 24
const COUNT_WIDTH = 12

/**
 * `tollgate move --to PLACE`: copies the whole database of a stopped gateway to another engine or server, and compares
 * every table. Returns the exit code.
 */
export async function move(args: readonly string[], context: CommandContext): Promise<number> {
  const { migrations } = context
  const request = readRequest(args)
  if (typeof request === 'string') {
    process.stderr.write(`tollgate move: ${request}\n`)
    return EXIT_USAGE_ERROR
  }
  const { databaseUrl, durability, dataDir, secretKey } = readConfigWithoutWriting()
  const isFile = detectEngine(databaseUrl) === 'sqlite'
  if (isFile && !existsSync(databaseUrl))
    throw new Error(`there is no database ${databaseUrl}: DATA_DIR and DATABASE_URL name it`)
  const unlock = isFile ? lockDatabaseFile(databaseUrl) : () => undefined
  const source = openDatabase({ url: databaseUrl, durability, connections: 1 }, migrations)
  const progress = createProgress()
  try {
    await requireStopped(source)
    await requireBalanced(source)
    const checksums = await moveDatabase(source, {
      to: request.to,
      temporaryPath: join(dataDir, 'tollgate.db.move'),
      onRows: progress.onRows,
      async check(copy) {
        await requireBalanced(copy)
        const input = { from: databaseUrl, to: request.to }
        await recordCommand({ command: 'move', secretKey, db: copy.db, input }, context, () =>
          Promise.resolve(),
        )
      },
    })
    progress.end()
    process.stdout.write(
      `${renderChecksums(checksums)}\nThe books balance on both sides.\n${describeStart(request.to)}\n`,
    )
    return 0
  } finally {
    progress.end()
    await source.close()
    unlock()
  }
}

/** Returns the problem with the arguments as a sentence. */
function readRequest(args: readonly string[]): { readonly to: string } | string {
  const { values } = parseArgs({ args: [...args], options: { to: { type: 'string' } } })
  if (values.to === undefined || values.to === '')
    return '--to needs postgres://… of an empty database, or a file that does not exist'
  return { to: detectEngine(values.to) === 'sqlite' ? resolve(values.to) : values.to }
}

/** The lock of a file keeps gateways away from it. Those on PostgreSQL are known by their heartbeats. */
async function requireStopped(source: OpenDatabase): Promise<void> {
  if (!(await isMigrated(source)))
    throw new Error('the database is empty or has the schema of another version: start the gateway once')
  if (source.engine === 'sqlite') return
  const latest = Math.max(0, ...(await listHeartbeats(source.db)).values())
  if (latest > nowSeconds() - GONE_SECONDS)
    throw new Error(
      `a gateway serves from this database: stop all of them; one that was killed counts as gone after ${GONE_SECONDS} seconds`,
    )
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

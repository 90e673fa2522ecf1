import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { createRepricing } from '#features/repricing/server/repricing.ts'
import { nowSeconds, sleepMs } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import { migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { fillLogs } from '#server/db/logs/fill-logs.ts'
import { fillReceipts } from '#server/db/logs/fill-receipts.ts'
import { findOldestLogTime } from '#server/db/logs/log-reads.ts'
import type { PriceOptions } from '#server/pricing/ratio-rules.ts'
import { migrations } from '#server/testing/migrations.ts'

const SQLITE_FILE = 'test-results/reprice.db'
const SECONDS_MAX = 30
const STALL_MS_MAX = 50
const MODELS = 30
const POLL_MS = 100
const MS_PER_SECOND = 1000
const NANOS_PER_MS = 1e6

/**
 * Times how long it takes to charge all requests of a database file again, and how long that keeps the gateway's own thread
 * from anything else. Exits with 1 when either exceeds its limit.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '10000000' },
      url: { type: 'string', default: SQLITE_FILE },
    },
  })
  const database = openDatabase({ url: values.url, durability: 'process' }, migrations)
  try {
    await fill(database, Number(values.rows))
    return await measure(database)
  } finally {
    await database.close()
  }
}

async function fill(database: OpenDatabase, rows: number): Promise<void> {
  await migrate(database)
  if ((await findOldestLogTime(database.db)) !== undefined) return
  await fillLogs(database, rows)
  await fillReceipts(database.db, rows)
  print(`filled ${rows} rows`)
}

/** A price for each model of `fillLogs`, with digits as real prices have them. */
const OPTIONS: PriceOptions = {
  ModelRatio: Object.fromEntries(
    Array.from({ length: MODELS }, (_, index) => [`model-${index}`, 0.075 + index / 8]),
  ),
  CompletionRatio: Object.fromEntries(Array.from({ length: MODELS }, (_, index) => [`model-${index}`, 4])),
  CacheRatio: Object.fromEntries(Array.from({ length: MODELS }, (_, index) => [`model-${index}`, 0.25])),
  CreateCacheRatio: {},
  ModelPrice: {},
  GroupRatio: { default: 0.85 },
  ModelPriceLists: {},
}

async function measure(database: OpenDatabase): Promise<number> {
  const repricing = createRepricing(database, noopLogger)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  const startedMs = performance.now()
  delays.enable()
  repricing.start({ options: OPTIONS, from: 0, until: nowSeconds() + 1, limits: { percent: 10, quota: 0 } })
  while (repricing.state().status === 'running') await sleepMs(POLL_MS)
  delays.disable()
  const seconds = (performance.now() - startedMs) / MS_PER_SECOND
  const { status, result } = repricing.state()
  await repricing.stop()
  const stallMs = delays.max / NANOS_PER_MS
  print(`${status}: ${result?.requests} requests, ${result?.before} units before, ${result?.after} after`)
  print(`charged again in ${seconds.toFixed(1)} s (at most ${SECONDS_MAX})`)
  print(`longest pause of the gateway's thread ${stallMs.toFixed(1)} ms (at most ${STALL_MS_MAX})`)
  return status === 'done' && seconds <= SECONDS_MAX && stallMs <= STALL_MS_MAX ? 0 : 1
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())

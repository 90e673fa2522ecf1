import { parseArgs } from 'node:util'
import { elapsedMs, nowMs, sleepMs } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import { migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { type Ledger, openLedger } from '#server/ledger/ledger.ts'
import type { Bill } from '#server/ledger/ledger-command.ts'
import {
  buildHoldRequest,
  buildLogEntry,
  createChannel,
  createToken,
  createUser,
} from '#server/ledger/testing.ts'
import { migrations } from '#server/testing/migrations.ts'
import { openDurablePostgres } from '../tests/harness/open-postgres.ts'
import { p50AndP99 } from './percentiles.ts'
import { readUsage } from './process-usage.ts'

const CHARGES_PER_SECOND_MIN = 3_000
const WARM_UP_MS = 3_000
/** Until every worker has connected. */
const START_MS = 2_000
const HOLD_UNITS = 5_000
const CHARGE_UNITS = 1_234
const WALLET_UNITS = 1e13
/** A receipt of a usual length. */
const RECEIPT = {
  ending: 'complete',
  provenance: 'upstream',
  use_ms: 1830,
  frt_ms: 410,
  model: { requested: 'gpt-4o', upstream: 'gpt-4o' },
  dialect: 'openai',
  price: {
    model_ratio: 1.25,
    completion_ratio: 4,
    cache_ratio: 0.5,
    create_cache_ratio: 1.25,
    group_ratio: 1,
  },
  usage: { input: 812, cachedInput: 300, output: 96, reasoning: 0 },
  lines: [
    { bucket: 'input', tokens: 512, ratio: 1, amount: '640' },
    { bucket: 'cachedInput', tokens: 300, ratio: 0.5, amount: '187.5' },
    { bucket: 'output', tokens: 96, ratio: 4, amount: '480' },
  ],
  exact: '1307.5',
  hold: HOLD_UNITS,
  attempts: [{ channel_id: 1, channel_name: 'channel-1', status: 200, ms: 1824 }],
}

/** What one worker is told, as JSON text. */
interface WorkerTask {
  readonly url: string
  readonly name: string
  readonly payer: Payer
  readonly channelId: number
  readonly callers: number
  /** Between two charges of one caller; 0 without a pause. */
  readonly intervalMs: number
  /** Milliseconds since the Unix epoch: only charges between them count. */
  readonly fromMs: number
  readonly untilMs: number
}

interface Payer {
  readonly userId: number
  readonly tokenId: number
}

/** What one worker has done, as JSON text. */
interface WorkerResult {
  readonly charges: number
  readonly cpuSeconds: number
  readonly commits: number
  readonly commands: number
  readonly reserveMs: readonly number[]
  readonly settleMs: readonly number[]
}

/**
 * Charges one wallet from several processes at once on a PostgreSQL whose commits wait for the disk: each caller places a
 * hold, settles it and begins again. Options: `--processes N`, `--callers N` in each, `--wallets N` and `--channels N` among
 * which the processes are divided, `--rate N` charges a second instead of as many as possible, `--seconds N`, `--url` for a
 * server of one's own with an empty database. Exits with 1 when there are less than 3,000 charges a second, a wallet drops
 * below zero, or the books do not balance.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      processes: { type: 'string', default: '4' },
      callers: { type: 'string', default: '256' },
      wallets: { type: 'string', default: '1' },
      channels: { type: 'string', default: '1' },
      rate: { type: 'string', default: '0' },
      seconds: { type: 'string', default: '15' },
      url: { type: 'string' },
      worker: { type: 'string' },
    },
  })
  if (values.worker !== undefined) return work(JSON.parse(values.worker))
  const server = values.url === undefined ? await openDurablePostgres() : undefined
  const url = server?.url ?? values.url ?? ''
  const database = openDatabase({ url, durability: 'power' }, migrations)
  try {
    await migrate(database)
    const load = {
      processes: Number(values.processes),
      callers: Number(values.callers),
      wallets: Number(values.wallets),
      channels: Number(values.channels),
      rate: Number(values.rate),
      seconds: Number(values.seconds),
    }
    return await judge(database, await charge(database, load), load)
  } finally {
    await database.close()
    await server?.stop()
  }
}

interface Load {
  readonly processes: number
  readonly callers: number
  readonly wallets: number
  readonly channels: number
  readonly rate: number
  readonly seconds: number
}

/** Starts the workers side by side and collects what they have done. */
async function charge(database: OpenDatabase, load: Load): Promise<readonly WorkerResult[]> {
  const { processes, callers, wallets, channels, rate, seconds } = load
  const tasks = await prepareTasks(database, load)
  print(
    `${processes} processes with ${callers} callers, ${wallets} wallets, ${channels} channels, ${seconds} s`,
  )
  if (rate > 0) print(`${rate} charges a second`)
  const workers = tasks.map(runWorker)
  const [{ fromMs = 0, untilMs = 0 } = {}] = tasks
  await sleepMs(fromMs - nowMs())
  const before = readUsage(process.pid).cpuSeconds
  await sleepMs(untilMs - nowMs())
  const cpuSeconds = readUsage(process.pid).cpuSeconds - before
  const results = await Promise.all(workers)
  const own = results.reduce((sum, result) => sum + result.cpuSeconds, 0)
  print(
    `${(cpuSeconds / seconds).toFixed(2)} cores busy, ${(own / seconds).toFixed(2)} of them in the workers`,
  )
  return results
}

async function prepareTasks({ db, location }: OpenDatabase, load: Load): Promise<readonly WorkerTask[]> {
  const payers: Payer[] = []
  for (let wallet = 0; wallet < load.wallets; wallet += 1) {
    const userId = await createUser(db, WALLET_UNITS)
    payers.push({ userId, tokenId: await createToken(db, userId, WALLET_UNITS) })
  }
  const channelIds: number[] = []
  for (let channel = 0; channel < load.channels; channel += 1) channelIds.push(await createChannel(db))
  const fromMs = nowMs() + START_MS + WARM_UP_MS
  return Array.from({ length: load.processes }, (_, index) => ({
    url: location.url,
    name: `worker ${index}`,
    payer: elementAt(payers, index),
    channelId: elementAt(channelIds, index),
    callers: load.callers,
    intervalMs: load.rate > 0 ? (1000 * load.processes * load.callers) / load.rate : 0,
    fromMs,
    untilMs: fromMs + load.seconds * 1000,
  }))
}

function elementAt<Element>(list: readonly Element[], index: number): Element {
  const element = list[index % list.length]
  if (element === undefined) throw new Error('at least one wallet and one channel are needed')
  return element
}

async function runWorker(task: WorkerTask): Promise<WorkerResult> {
  const child = Bun.spawn([process.execPath, import.meta.path, '--worker', JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await new Response(child.stdout).text())
}

/** A worker: a ledger of its own, and callers who never pause. */
async function work(task: WorkerTask): Promise<number> {
  const database = openDatabase({ url: task.url, durability: 'power' }, migrations)
  const ledger = openLedger({
    db: database.db,
    engine: database.engine,
    log: noopLogger,
    processId: task.name,
    isConsumptionLogged: () => true,
  })
  const tally = { charges: 0, reserveMs: [] as number[], settleMs: [] as number[] }
  const callers = Array.from({ length: task.callers }, (_, index) => call(ledger, task, { index, tally }))
  await sleepMs(task.fromMs - nowMs())
  const before = measureSoFar(ledger)
  await sleepMs(task.untilMs - nowMs())
  const after = measureSoFar(ledger)
  await Promise.all(callers)
  await ledger.close()
  await database.close()
  const result: WorkerResult = {
    ...tally,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    commits: after.commits - before.commits,
    commands: after.commands - before.commands,
  }
  await Bun.write(Bun.stdout, JSON.stringify(result))
  return 0
}

const measureSoFar = (ledger: Ledger) => {
  const { counts, sum } = ledger.stats().batchSizes
  const commits = counts.reduce((total, count) => total + count, 0)
  return { cpuSeconds: readUsage(process.pid).cpuSeconds, commits, commands: sum }
}

interface Caller {
  readonly index: number
  readonly tally: { charges: number; readonly reserveMs: number[]; readonly settleMs: number[] }
}

async function call(ledger: Ledger, task: WorkerTask, { index, tally }: Caller): Promise<void> {
  const bill: Bill = { amount: quota(CHARGE_UNITS), entry: buildLogEntry(task.channelId), receipt: RECEIPT }
  const { userId, tokenId } = task.payer
  let dueMs = elapsedMs() + (task.intervalMs * index) / task.callers
  while (nowMs() < task.untilMs) {
    if (dueMs > elapsedMs()) await sleepMs(dueMs - elapsedMs())
    dueMs += task.intervalMs
    const startedMs = elapsedMs()
    const request = buildHoldRequest(userId, HOLD_UNITS, tokenId)
    const hold = await ledger.reserve({ ...request, isTokenLimited: false })
    const heldMs = elapsedMs()
    await ledger.settle(hold, bill)
    if (nowMs() < task.fromMs || nowMs() > task.untilMs) continue
    tally.charges += 1
    tally.reserveMs.push(heldMs - startedMs)
    tally.settleMs.push(elapsedMs() - heldMs)
  }
}

async function judge(
  { db }: OpenDatabase,
  results: readonly WorkerResult[],
  { seconds, rate }: Load,
): Promise<number> {
  const total = (figure: (result: WorkerResult) => number) =>
    results.reduce((sum, result) => sum + figure(result), 0)
  const perSecond = total(({ charges }) => charges) / seconds
  const reserve = p50AndP99(results.flatMap(({ reserveMs }) => reserveMs))
  const settle = p50AndP99(results.flatMap(({ settleMs }) => settleMs))
  const batch = total(({ commands }) => commands) / total(({ commits }) => commits)
  const { drift, counts } = await auditLedger(db)
  print(`${Math.round(perSecond)} charges a second (at least ${CHARGES_PER_SECOND_MIN})`)
  print(
    `${(total(({ commits }) => commits) / seconds).toFixed(0)} commits a second of ${batch.toFixed(1)} commands`,
  )
  print(
    `hold ${reserve.p50.toFixed(1)} ms, p99 ${reserve.p99.toFixed(1)}; settlement ${settle.p50.toFixed(1)} ms, p99 ${settle.p99.toFixed(1)}`,
  )
  print(`drift ${drift}, ${counts.openHolds} open holds, ${counts.walletsBelowZero} wallets below zero`)
  const isBalanced = drift === 0 && counts.openHolds === 0 && counts.walletsBelowZero === 0
  return isBalanced && (rate > 0 || perSecond >= CHARGES_PER_SECOND_MIN) ? 0 : 1
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())

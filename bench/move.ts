import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { elapsedMs, sleepMs } from '#server/core/clock.ts'
import { openDatabase } from '#server/db/engine/database.ts'
import { fillRejectedRequests } from '#server/db/logs/fill-logs.ts'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from '../tests/faults/fault-setup.ts'
import { isCompleteStream } from '../tests/harness/call-chat.ts'
import { openPostgres } from '../tests/harness/open-postgres.ts'
import { runTollgate } from '../tests/harness/program.ts'
import { verifyLedger } from '../tests/harness/verify-ledger.ts'

const SECRET_KEY = 'the secret key of a gateway that moves'
const PAUSE_MS_MAX = 2000
const JSON_SCRIPT = 'tokens-3'
/** Half a second. */
const STREAM_SCRIPT = 'pace-20+tokens-25'
const PAUSE = /Requests waited for (\d+) ms/

interface Tally {
  sent: number
  served: number
  failed: number
  slowestMs: number
}

/**
 * Moves a gateway from SQLite to PostgreSQL and back under a steady load, half of it streams. Options: `--rate N` requests a
 * second, `--seconds N` of load before, between and after, `--rows N` of log that exist already. Exits with 1 when a request
 * was lost, doubled or refused, or waited for too long.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '300' },
      seconds: { type: 'string', default: '60' },
      rows: { type: 'string', default: '0' },
    },
  })
  const seconds = Number(values.seconds)
  const database = await openPostgres()
  const stage = await createFaultSetup({ environment: { SECRET_KEY } })
  try {
    const embedded = { DATA_DIR: stage.site.gateway.dataDir, SECRET_KEY }
    const server = { ...embedded, DATABASE_URL: database.url }
    await fillLog(stage.site.gateway.dataDir, Number(values.rows))
    const before = await stage.charged()
    const load = startLoad(stage, Number(values.rate))
    await sleepMs(seconds * 1000)
    const there = await move(database.url, embedded)
    await sleepMs(seconds * 1000)
    const back = await move(join(stage.site.gateway.dataDir, 'tollgate.db'), server)
    await sleepMs(seconds * 1000)
    const tally = await load.stop()
    const charged = ((await stage.charged()) - before) / PRICE
    const { drift, openHolds } = await verifyLedger(embedded)
    print(`${tally.sent} requests, ${tally.served} served, ${tally.failed} failed, ${charged} charged`)
    print(`requests waited for ${there} ms on the way there and ${back} ms on the way back`)
    print(
      `the slowest whole response took ${Math.round(tally.slowestMs)} ms; drift ${drift}, open holds ${openHolds}`,
    )
    const isCorrect = tally.served === tally.sent && charged === tally.sent && drift + openHolds === 0
    return isCorrect && Math.max(there, back, tally.slowestMs) <= PAUSE_MS_MAX ? 0 : 1
  } finally {
    await stage.stop()
    await database.stop()
  }
}

async function fillLog(dataDir: string, rows: number): Promise<void> {
  const database = openDatabase({ url: join(dataDir, 'tollgate.db'), durability: 'process' })
  try {
    await fillRejectedRequests(database.db, rows)
  } finally {
    await database.close()
  }
}

async function move(to: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const startedMs = elapsedMs()
  const { code, output } = await runTollgate(['move', '--to', to], environment)
  if (code !== 0) throw new Error(`the move failed: ${output}`)
  print(`moved in ${((elapsedMs() - startedMs) / 1000).toFixed(1)} s`)
  return Number(PAUSE.exec(output)?.[1])
}

/** Starts requests at the given rate, whether or not earlier ones have ended. */
function startLoad(stage: FaultSetup, ratePerSecond: number): { stop(): Promise<Tally> } {
  const tally: Tally = { sent: 0, served: 0, failed: 0, slowestMs: 0 }
  const running = new Set<Promise<void>>()
  let isStopping = false
  const startedMs = elapsedMs()
  const sending = (async () => {
    while (!isStopping) {
      const due = Math.floor(((elapsedMs() - startedMs) * ratePerSecond) / 1000)
      for (; tally.sent < due; tally.sent += 1) {
        const call = send(stage, tally, tally.sent % 2 === 0).finally(() => running.delete(call))
        running.add(call)
      }
      await sleepMs(1)
    }
  })()
  return {
    async stop() {
      isStopping = true
      await sending
      await Promise.all(running)
      return tally
    },
  }
}

async function send(stage: FaultSetup, tally: Tally, isStream: boolean): Promise<void> {
  const startedMs = elapsedMs()
  try {
    const response = await stage.ask(LAB, { isStream, script: isStream ? STREAM_SCRIPT : JSON_SCRIPT })
    if (response.status === 200 && (!isStream || isCompleteStream(response))) tally.served += 1
    else tally.failed += 1
  } catch {
    tally.failed += 1
  }
  if (!isStream) tally.slowestMs = Math.max(tally.slowestMs, elapsedMs() - startedMs)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())

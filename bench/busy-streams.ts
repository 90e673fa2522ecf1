import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { getLogFacets } from '#features/logs/contract/logs.ts'
import { elapsedMs, nowSeconds, sleepMs } from '#server/core/clock.ts'
import { migrate, openDatabase } from '#server/db/engine/database.ts'
import { fillAnalytics } from '#server/testing/fill-analytics.ts'
import { fillLogs } from '#server/testing/fill-logs.ts'
import { migrations } from '#server/testing/migrations.ts'
import type { AdminClient } from '../tests/harness/api-client.ts'
import { addLabChannel, addToken } from '../tests/harness/lab-channel.ts'
import { EXECUTABLE } from '../tests/harness/program.ts'
import { type RunningGateway, startGateway } from '../tests/harness/start-gateway.ts'
import { type Lab, startLab } from '../tests/harness/start-lab.ts'
import { makeTemporaryFolder } from '../tests/harness/temporary-folder.ts'
import { type Candidate, MODEL } from './candidates/candidate.ts'
import { startTimingUpstream, type TimingUpstream } from './candidates/timing-upstream.ts'
import { median } from './percentiles.ts'
import { round, table } from './report.ts'
import { rollUpLog } from './roll-up-log.ts'
import { type MeasuredLoad, runLoad } from './run-load.ts'

const STREAMS = 100
const EVENTS = 50
const PACE_MS = 20
const EVENT_P99_MS_MAX = 15
const DAY_SECONDS = 24 * 3600
const MONTH_DAYS = 30
const QUESTION_INTERVAL_MS = 1000
const BODY_INTERVAL_MS = 500
const BODY_CHARS = 16 * 1024 * 1024
/** Large bodies go to another upstream, because the one with the clock must not be late itself. */
const LARGE_MODEL = 'gpt-4o'

interface Site {
  readonly gateway: RunningGateway
  readonly admin: AdminClient
  readonly candidate: Candidate
}

/** What was asked beside the streams, and how many of it failed. */
interface OtherLoad {
  readonly facets: number
  readonly exports: number
  readonly bodies: number
  readonly failures: readonly string[]
}

/**
 * Times streams by the clock of their upstream over a log of many rows, in turns alone and while an administrator asks for the
 * values of all filters once a second, another exports a month and bodies of 16 MiB arrive twice a second. Exits with 1 when events are late or
 * anything fails.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '5' } },
  })
  const folder = makeTemporaryFolder()
  print(`filling ${values.rows} rows`)
  await fill(join(folder.path, 'tollgate.db'), Number(values.rows))
  const upstream = await startTimingUpstream({ events: EVENTS, paceMs: PACE_MS })
  const lab = await startLab()
  const site = await startSite(folder.path, { upstream, lab })
  try {
    return (await measure(site, Number(values.rounds))) ? 0 : 1
  } finally {
    await Promise.all([site.gateway.stop(), upstream.stop(), lab.stop()])
    folder.remove()
  }
}

async function fill(url: string, rows: number): Promise<void> {
  const database = openDatabase({ url, durability: 'process' }, migrations)
  await migrate(database)
  await fillLogs(database, rows)
  await rollUpLog(database.db)
  await fillAnalytics(database)
  await database.close()
}

async function startSite(
  dataDir: string,
  { upstream, lab }: { readonly upstream: TimingUpstream; readonly lab: Lab },
): Promise<Site> {
  const gateway = await startGateway({ dataDir, executable: EXECUTABLE })
  const admin = await gateway.signInAsRoot()
  await addLabChannel(admin, upstream, { provider: 'openai', models: [MODEL] })
  await addLabChannel(admin, lab, {
    provider: 'openai',
    models: [LARGE_MODEL],
    name: 'large',
    scenario: 'lenient',
  })
  const { key } = await addToken(admin)
  const candidate = {
    name: 'tollgate',
    pid: gateway.pid,
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer sk-${key}` },
    stop: () => Promise.resolve(),
  }
  return { gateway, admin, candidate }
}

async function measure(site: Site, rounds: number): Promise<boolean> {
  const alone: MeasuredLoad[] = []
  const busy: MeasuredLoad[] = []
  const others: OtherLoad[] = []
  await runLoad(site.candidate, LOAD)
  for (let round = 0; round < rounds; round++) {
    alone.push(await runLoad(site.candidate, LOAD))
    let isOver = false
    const questions = askUntil(site, () => isOver)
    busy.push(await runLoad(site.candidate, LOAD))
    isOver = true
    others.push(await questions)
  }
  print(table([HEAD, toRow('alone', alone), toRow('busy', busy)]))
  printStalls(site.gateway)
  return judge(busy, others)
}

const LOAD = {
  kind: 'streams',
  connections: STREAMS,
  count: 3 * STREAMS,
  ratePerSecond: 0,
  body: { model: MODEL, stream: true, messages: [{ role: 'user', content: 'How warm is it in Lisbon?' }] },
} as const

async function askUntil(site: Site, isOver: () => boolean): Promise<OtherLoad> {
  const failures: string[] = []
  const repeat = async (intervalMs: number, ask: () => Promise<number>) => {
    let count = 0
    while (!isOver()) {
      const startedMs = elapsedMs()
      const status = await ask()
      if (status !== 200) failures.push(`status ${status}`)
      count += 1
      await sleepMs(Math.max(0, intervalMs - (elapsedMs() - startedMs)))
    }
    return count
  }
  const [facets, exports, bodies] = await Promise.all([
    repeat(QUESTION_INTERVAL_MS, () => askFacets(site)),
    repeat(0, () => exportMonth(site)),
    repeat(BODY_INTERVAL_MS, () => sendLargeBody(site)),
  ])
  return { facets, exports, bodies, failures }
}

const lastMonth = () => {
  const now = nowSeconds()
  return { start_timestamp: now - MONTH_DAYS * DAY_SECONDS, end_timestamp: now }
}

const askFacets = async ({ admin }: Site): Promise<number> =>
  (await admin.send(getLogFacets, { query: lastMonth() })).status

async function exportMonth({ gateway, admin }: Site): Promise<number> {
  const { start_timestamp, end_timestamp } = lastMonth()
  const headers = { cookie: admin.cookie, 'new-api-user': String(admin.userId) }
  const query = `start_timestamp=${start_timestamp}&end_timestamp=${end_timestamp}`
  const response = await fetch(`${gateway.url}/api/log/export?${query}`, { headers })
  await response.arrayBuffer()
  return response.status
}

/** As the body of a request with an image. */
const LARGE_BODY = JSON.stringify({
  model: LARGE_MODEL,
  messages: [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(BODY_CHARS)}` } }],
    },
  ],
})

async function sendLargeBody({ candidate }: Site): Promise<number> {
  const headers = { ...candidate.headers, 'content-type': 'application/json' }
  const response = await fetch(candidate.url, { method: 'POST', headers, body: LARGE_BODY })
  await response.arrayBuffer()
  return response.status
}

const HEAD = [
  '',
  'event p50 ms',
  'p99 ms',
  'longest ms',
  'first token p50 ms',
  'p99 ms',
  'CPU µs a stream',
  'failed',
]

const toRow = (name: string, loads: readonly MeasuredLoad[]) => [
  name,
  round(median(loads.map(load => load.eventDelayMs.p50))),
  round(median(loads.map(load => load.eventDelayMs.p99))),
  round(Math.max(...loads.map(load => load.eventDelayMs.longest))),
  round(median(loads.map(load => load.firstTokenMs.p50))),
  round(median(loads.map(load => load.firstTokenMs.p99))),
  round(median(loads.map(load => load.cpuMicrosPerRequest))),
  loads.reduce((sum, load) => sum + load.failed, 0),
]

function judge(busy: readonly MeasuredLoad[], others: readonly OtherLoad[]): boolean {
  const sum = (figure: (one: OtherLoad) => number) => others.reduce((total, one) => total + figure(one), 0)
  const failures = others.flatMap(one => one.failures)
  const broken = busy.reduce((total, load) => total + load.failed, 0)
  const p99Ms = median(busy.map(load => load.eventDelayMs.p99))
  print(
    `beside them ${sum(one => one.facets)} questions, ${sum(one => one.exports)} exports and ${sum(one => one.bodies)} large bodies, ` +
      `${failures.length} of them failed${failures[0] ? `, the first with ${failures[0]}` : ''}`,
  )
  print(`event delay p99: ${round(p99Ms)} ms (at most ${EVENT_P99_MS_MAX})`)
  return p99Ms <= EVENT_P99_MS_MAX && broken === 0 && failures.length === 0
}

/** The lines in which the gateway names what blocked its event loop. */
function printStalls(gateway: RunningGateway): void {
  for (const line of gateway.output().split('\n'))
    if (line.includes('the event loop was blocked')) print(line)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())

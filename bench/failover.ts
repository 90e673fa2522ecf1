import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { elapsedMs } from '#server/core/clock.ts'
import { callChat } from '../tests/harness/call-chat.ts'
import { addLabChannel, addToken } from '../tests/harness/lab-channel.ts'
import { type PostgresPair, startPostgresPair } from '../tests/harness/postgres-pair.ts'
import { setOptions } from '../tests/harness/set-options.ts'
import { type RunningGateway, respondsOk, startGateway } from '../tests/harness/start-gateway.ts'
import { type Lab, startLab } from '../tests/harness/start-lab.ts'
import { startTcpProxy, type TcpProxy } from '../tests/harness/tcp-proxy.ts'
import { makeTemporaryFolder } from '../tests/harness/temporary-folder.ts'
import { verifyLedger } from '../tests/harness/verify-ledger.ts'
import { waitUntil } from '../tests/harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const CLIENTS = 8
/** Complete responses before the failover, while the standby lags or there are two primaries, and afterwards. */
const BEFORE = 200
const BETWEEN = 100
const AFTER = 200
const RESPONSES_MS_MAX = 120_000
const RECOVERED_MS_MAX = 120_000
const SECRET_KEY = 'the secret key of the failover bench'

/** How the primary is lost. */
const WAYS = {
  synchronous: { settings: ['synchronous_standby_names=*'] },
  asynchronous: { settings: [] },
  /** The standby is behind. */
  lag: { settings: [], hasLag: true },
  /** The same, and the gateway is killed with the primary and started again. */
  kill: { settings: [], hasLag: true, isGatewayKilled: true },
  /** The standby is promoted while the primary still serves, and then the primary is lost. */
  'two primaries': { settings: [], hasTwoPrimaries: true },
  /** The network between gateway and primary only says nothing, while the primary goes on; later it is back. */
  partition: { settings: [], isCutOff: true },
  /** The same as with lag, and the lost primary starts again with what nobody else has. */
  return: { settings: [], hasLag: true, isReturning: true },
  /** An orderly shutdown of the primary. */
  switchover: { settings: [], isOrderly: true },
} as const satisfies Readonly<Record<string, Way>>

interface Way {
  readonly settings: readonly string[]
  readonly hasLag?: boolean
  readonly isGatewayKilled?: boolean
  readonly hasTwoPrimaries?: boolean
  readonly isCutOff?: boolean
  readonly isReturning?: boolean
  readonly isOrderly?: boolean
}

interface Outcome {
  readonly way: string
  /** Complete responses, other statuses, and connections that broke. */
  readonly responses: number
  readonly rejected: number
  readonly broken: number
  readonly charges: number
  /** Complete responses without a charge. */
  readonly lost: number
  /** Requests with more than one charge. */
  readonly doubled: number
  /** Charges whose client saw no complete response. */
  readonly unseen: number
  readonly drift: number
  readonly openHolds: number
  /** From the promotion to the first complete response. */
  readonly firstResponseMs: number
  readonly recoveredMs: number
}

/** Fails a PostgreSQL primary over under load, in each way, and compares what clients saw with what was charged. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '1' },
      way: { type: 'string' },
      out: { type: 'string', default: 'test-results/failover.json' },
    },
  })
  const chosen = Object.entries<Way>(WAYS).filter(([name]) => values.way === undefined || name === values.way)
  const lab = await startLab()
  const outcomes: Outcome[] = []
  try {
    for (let time = 0; time < Number(values.times); time += 1)
      for (const [name, way] of chosen) {
        outcomes.push(await failOver(name, way, lab))
        print(rowOf(outcomes.at(-1)))
      }
  } finally {
    await lab.stop()
  }
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, `${JSON.stringify(outcomes, null, 2)}\n`)
  const bad = outcomes.filter(({ lost, doubled, drift, openHolds }) => lost + doubled + drift + openHolds > 0)
  print(`${outcomes.length} failovers, ${bad.length} with a difference; all figures: ${values.out}`)
  return bad.length === 0 ? 0 : 1
}

async function failOver(name: string, way: Way, lab: Lab): Promise<Outcome> {
  const pair = await startPostgresPair(way.settings)
  const network = await startTcpProxy(pair.first.port)
  const environment = environmentOf(network, pair)
  const folder = makeTemporaryFolder()
  let gateway = await startGateway({ dataDir: folder.path, environment })
  try {
    const clients = startClients(gateway, await prepare(gateway, lab))
    await clients.complete(BEFORE)
    if (way.hasLag) {
      await pair.second.lag()
      await clients.complete(BETWEEN)
    }
    const killed = way.isGatewayKilled ? gateway.kill() : Promise.resolve()
    await losePrimary({ ...pair, network }, way, () => clients.complete(BETWEEN))
    const promotedMs = elapsedMs()
    await killed
    if (way.isGatewayKilled) {
      const { port } = new URL(gateway.url)
      gateway = await startGateway({ dataDir: folder.path, port: Number(port), environment })
    }
    if (way.isReturning) await pair.first.start()
    await clients.complete(AFTER)
    network.thaw()
    const responses = await clients.stop()
    const recovered = await untilRecovered({ ...environment, DATA_DIR: gateway.dataDir })
    const first = responses.find(({ status, atMs }) => status === 200 && atMs > promotedMs)
    return {
      way: name,
      ...compare(responses, await readCharges(pair)),
      ...recovered,
      firstResponseMs: Math.round((first?.atMs ?? Number.NaN) - promotedMs),
    }
  } finally {
    await gateway.stop()
    await network.stop()
    await pair.stop()
    folder.remove()
  }
}

const environmentOf = (network: TcpProxy, { second }: PostgresPair) => ({
  DATABASE_URL: `postgres://postgres@127.0.0.1:${network.port},127.0.0.1:${second.port}/postgres?target_session_attrs=read-write`,
  SECRET_KEY,
  WORKERS: '1',
})

async function prepare(gateway: RunningGateway, lab: Lab): Promise<string> {
  const root = await gateway.signInAsRoot()
  await setOptions(root, { ModelRatio: { [MODEL]: 1 } })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL] })
  return (await addToken(root)).key
}

async function losePrimary(
  { first, second, network }: Pick<PostgresPair, 'first' | 'second'> & { readonly network: TcpProxy },
  way: Way,
  serveBetween: () => Promise<unknown>,
): Promise<void> {
  if (way.isCutOff) {
    network.freeze()
    return second.promote()
  }
  if (way.hasTwoPrimaries) {
    await second.promote()
    await serveBetween()
    await first.kill()
    return
  }
  await (way.isOrderly ? first.stop() : first.kill())
  if (way.hasLag) await second.loseLag()
  await second.promote()
}

interface ClientResponse {
  readonly requestId: string
  /** 0: the connection broke. */
  readonly status: number
  readonly atMs: number
}

function startClients({ url }: RunningGateway, key: string) {
  const responses: ClientResponse[] = []
  let isStopped = false
  const body = { model: MODEL, max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] }
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const { status, requestId } = await callChat({ url, key, body }).catch(() => ({
        status: 0,
        requestId: '',
      }))
      responses.push({ requestId, status, atMs: elapsedMs() })
      if (status === 0) await untilReady(url)
    }
  }
  const runs = Array.from({ length: CLIENTS }, run)
  const countComplete = (): number => responses.filter(({ status }) => status === 200).length
  return {
    /** Waits for this many more complete responses. */
    complete(count: number): Promise<boolean> {
      const enough = countComplete() + count
      const wait = { description: `${count} responses`, timeoutMs: RESPONSES_MS_MAX }
      return waitUntil(wait, () => countComplete() >= enough)
    },
    async stop(): Promise<readonly ClientResponse[]> {
      isStopped = true
      await Promise.all(runs)
      return responses
    },
  }
}

const untilReady = (url: string): Promise<boolean> =>
  waitUntil({ description: 'the gateway', timeoutMs: RESPONSES_MS_MAX }, () => respondsOk(`${url}/readyz`))

/** Waits until no hold is open and the books balance, or gives up and returns what is left. */
async function untilRecovered(environment: Readonly<Record<string, string>>) {
  const startedMs = elapsedMs()
  const look = () => verifyLedger(environment)
  let last = await look()
  await waitUntil({ description: 'the books to balance', timeoutMs: RECOVERED_MS_MAX }, async () => {
    last = await look()
    return last.code === 0 && last.openHolds === 0
  }).catch(() => print(last.output))
  const { drift, openHolds } = last
  return { drift, openHolds, recoveredMs: Math.round(elapsedMs() - startedMs) }
}

async function readCharges({ second }: PostgresPair): Promise<readonly string[]> {
  const server = new SQL({ url: second.url, max: 1 })
  try {
    const rows: { request_id: string }[] = await server.unsafe(
      `select request_id from postings where kind = 'charge'`,
    )
    return rows.map(({ request_id }) => request_id)
  } finally {
    await server.close()
  }
}

function compare(responses: readonly ClientResponse[], charges: readonly string[]) {
  const complete = responses.filter(({ status }) => status === 200)
  const completeIds = new Set(complete.map(({ requestId }) => requestId))
  const charged = new Set(charges)
  return {
    responses: complete.length,
    rejected: responses.filter(({ status }) => status !== 200 && status !== 0).length,
    broken: responses.filter(({ status }) => status === 0).length,
    charges: charges.length,
    lost: complete.filter(({ requestId }) => !charged.has(requestId)).length,
    doubled: charges.length - charged.size,
    unseen: [...charged].filter(requestId => !completeIds.has(requestId)).length,
  }
}

const rowOf = (outcome: Outcome | undefined): string =>
  Object.entries(outcome ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join('  ')

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())

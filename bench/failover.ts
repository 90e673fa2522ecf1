import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { elapsedMs } from '#server/core/clock.ts'
import { type PostgresPair, startPostgresPair } from '../tests/harness/postgres-pair.ts'
import { startGateway } from '../tests/harness/start-gateway.ts'
import { type Lab, startLab } from '../tests/harness/start-lab.ts'
import { startTcpProxy, type TcpProxy } from '../tests/harness/tcp-proxy.ts'
import { makeTemporaryFolder } from '../tests/harness/temporary-folder.ts'
import {
  type Comparison,
  compare,
  firstResponseMs,
  isDifferent,
  prepare,
  print,
  type Recovered,
  readCharges,
  rowOf,
  SECRET_KEY,
  startClients,
  untilRecovered,
} from './failover/load.ts'

/** Complete responses before the failover, while the standby lags or there are two primaries, and afterwards. */
const BEFORE = 200
const BETWEEN = 100
const AFTER = 200

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

interface Outcome extends Comparison, Recovered {
  readonly way: string
  /** From the promotion until a killed gateway has started again. */
  readonly startMs: number
  /** From then, or from the promotion, to the first complete response. */
  readonly firstResponseMs: number
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
  const bad = outcomes.filter(isDifferent)
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
    let readyMs = promotedMs
    await killed
    if (way.isGatewayKilled) {
      const { port } = new URL(gateway.url)
      gateway = await startGateway({ dataDir: folder.path, port: Number(port), environment })
      readyMs = elapsedMs()
    }
    if (way.isReturning) await pair.first.start()
    await clients.complete(AFTER)
    network.thaw()
    const responses = await clients.stop()
    const recovered = await untilRecovered({ ...environment, DATA_DIR: gateway.dataDir })
    return {
      way: name,
      ...compare(responses, await readCharges(pair.second.url)),
      ...recovered,
      startMs: Math.round(readyMs - promotedMs),
      firstResponseMs: firstResponseMs(responses, readyMs),
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

process.exit(await main())

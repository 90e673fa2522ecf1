import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { elapsedMs } from '#server/core/clock.ts'
import { type PairedServer, startPostgresPair } from '../tests/harness/postgres-pair.ts'
import { type RunningGateway, startGateway } from '../tests/harness/start-gateway.ts'
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
} from './failover-load.ts'

/** Complete responses before the failover, while the standby lags or there are two primaries, and afterwards. */
const BEFORE = 200
const BETWEEN = 100
const AFTER = 200

/** How the primary is lost. */
const WAYS: Readonly<Record<string, Way>> = {
  synchronous: { isSynchronous: true },
  asynchronous: {},
  /** The standby is behind. */
  lag: { hasLag: true },
  /** The same, and the gateway is killed with the primary and started again. */
  kill: { hasLag: true, isGatewayKilled: true },
  /** The standby is promoted while the primary still serves, and then the primary is lost. */
  'two primaries': { hasTwoPrimaries: true },
  /** The network between gateway and primary only says nothing, while the primary goes on; later it is back. */
  partition: { isCutOff: true },
  /** The same as with lag, and the lost primary starts again with what nobody else has. */
  return: { hasLag: true, isReturning: true },
  /** An orderly shutdown of the primary. */
  switchover: { isOrderly: true },
}

interface Way {
  readonly isSynchronous?: boolean
  readonly hasLag?: boolean
  readonly isGatewayKilled?: boolean
  readonly hasTwoPrimaries?: boolean
  readonly isCutOff?: boolean
  readonly isReturning?: boolean
  readonly isOrderly?: boolean
}

interface Outcome extends Comparison, Recovered {
  readonly way: string
  readonly failovers: number
  /** From each promotion until a killed gateway has started again. */
  readonly startMs: readonly number[]
  /** From then, or from each promotion, to the first complete response. */
  readonly firstMs: readonly number[]
}

/**
 * Fails two PostgreSQL servers over to each other again and again under load, in each way, and compares what clients saw with what
 * was charged.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: '2' },
      way: { type: 'string' },
      out: { type: 'string', default: 'test-results/failover.json' },
    },
  })
  const chosen = Object.entries(WAYS).filter(([name]) => values.way === undefined || name === values.way)
  const lab = await startLab()
  const outcomes: Outcome[] = []
  try {
    for (const [name, way] of chosen)
      for (const times of roundsOf(way, Number(values.times))) {
        outcomes.push(await failOverAgain(name, way, { lab, times }))
        print(rowOf(outcomes.at(-1)))
      }
  } finally {
    await lab.stop()
  }
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, `${JSON.stringify(outcomes, null, 2)}\n`)
  const bad = outcomes.filter(isDifferent)
  print(`${outcomes.length} runs, ${bad.length} with a difference; all figures: ${values.out}`)
  return bad.length === 0 ? 0 : 1
}

/** Failovers of each pair of servers. A standby that was copied may not start without its primary, which losing its lag demands. */
const roundsOf = (way: Way, times: number): readonly number[] =>
  way.hasLag ? Array.from({ length: times }, () => 1) : [times]

async function failOverAgain(
  name: string,
  way: Way,
  { lab, times }: { readonly lab: Lab; readonly times: number },
): Promise<Outcome> {
  const pair = await startPostgresPair()
  const primary = { server: pair.first, network: await startTcpProxy(pair.first.port) }
  const standby = { server: pair.second, network: await startTcpProxy(pair.second.port) }
  const environment = environmentOf([primary, standby])
  const folder = makeTemporaryFolder()
  const gateway = await startGateway({ dataDir: folder.path, environment })
  const clients = startClients(gateway, await prepare(gateway, lab))
  const session: Session = { primary, standby, gateway, clients, environment }
  const promotions: Promotion[] = []
  try {
    for (let time = 0; time < times; time += 1) promotions.push(await failOver(session, way))
    const responses = await clients.stop()
    const recovered = await untilRecovered({ ...environment, DATA_DIR: folder.path })
    return {
      way: name,
      failovers: times,
      ...compare(responses, await readCharges(session.primary.server.url)),
      ...recovered,
      startMs: promotions.map(({ promotedMs, readyMs }) => Math.round(readyMs - promotedMs)),
      firstMs: promotions.map(({ readyMs }) => firstResponseMs(responses, readyMs)),
    }
  } finally {
    await session.gateway.stop()
    await Promise.all([primary, standby].map(({ network }) => network.stop()))
    await pair.stop()
    folder.remove()
  }
}

/** A server, and the network between it and the gateway. */
interface Reached {
  readonly server: PairedServer
  readonly network: TcpProxy
}

interface Session {
  primary: Reached
  standby: Reached
  gateway: RunningGateway
  readonly clients: ReturnType<typeof startClients>
  readonly environment: Readonly<Record<string, string>>
}

interface Promotion {
  readonly promotedMs: number
  /** When a gateway that was killed has started again, else the same. */
  readonly readyMs: number
}

/** Afterwards the lost primary is the standby of its successor. */
async function failOver(session: Session, way: Way): Promise<Promotion> {
  const { primary, standby, clients } = session
  if (way.isSynchronous) await waitForStandby(primary.server)
  await clients.complete(BEFORE)
  if (way.hasLag) {
    await standby.server.lag()
    await clients.complete(BETWEEN)
  }
  const killed = way.isGatewayKilled ? session.gateway.kill() : undefined
  await losePrimary(session, way, () => clients.complete(BETWEEN))
  const promotedMs = elapsedMs()
  await killed
  if (killed) session.gateway = await startAgain(session)
  const readyMs = killed ? elapsedMs() : promotedMs
  if (way.isReturning) await primary.server.start()
  await clients.complete(AFTER)
  primary.network.thaw()
  await primary.server.follow(standby.server)
  Object.assign(session, { primary: standby, standby: primary })
  return { promotedMs, readyMs }
}

const startAgain = ({ gateway: { url, dataDir }, environment }: Session): Promise<RunningGateway> =>
  startGateway({ dataDir, port: Number(new URL(url).port), environment })

const environmentOf = (servers: readonly Reached[]) => ({
  DATABASE_URL: `postgres://postgres@${servers.map(({ network }) => `127.0.0.1:${network.port}`).join(',')}/postgres?target_session_attrs=read-write`,
  SECRET_KEY,
  WORKERS: '1',
})

async function waitForStandby({ url }: PairedServer): Promise<void> {
  const client = new SQL({ url, max: 1 })
  await client.unsafe(`alter system set synchronous_standby_names = '*'`)
  await client.unsafe('select pg_reload_conf()')
  await client.close()
}

async function losePrimary(
  { primary, standby }: Session,
  way: Way,
  serveBetween: () => Promise<unknown>,
): Promise<void> {
  if (way.isCutOff) {
    primary.network.freeze()
    return standby.server.promote()
  }
  if (way.hasTwoPrimaries) {
    await standby.server.promote()
    await serveBetween()
    await primary.server.kill()
    return
  }
  await (way.isOrderly ? primary.server.stop() : primary.server.kill())
  if (way.hasLag) await standby.server.loseLag()
  await standby.server.promote()
}

process.exit(await main())

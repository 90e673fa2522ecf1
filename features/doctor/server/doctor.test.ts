import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { combineListeners } from '#server/api/events.ts'
import { readConfigWithoutWriting, terminalLanguage } from '#server/config/config.ts'
import { nowSeconds, setClock } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { migrate, openDatabase } from '#server/db/engine/database.ts'
import { buildLogRow } from '#server/db/testing.ts'
import type { CommandContext } from '#server/feature.ts'
import { openLocalRedis } from '#server/testing/local-redis.ts'
import { migrations } from '#server/testing/migrations.ts'
import { freePort } from '../../../tests/harness/free-port.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { checkBackups } from './check-backups.ts'
import { describeDatabase } from './check-database.ts'
import { checkDisk, checkFiles, checkPort, daysUntilFull, describeFreeSpace } from './check-machine.ts'
import { checkClock, checkProxies, checkUpstreams } from './check-network.ts'
import { checkProblem, ok, renderJson, renderResults, worstStatus } from './check-result.ts'
import { checkSharedLimits } from './check-shared-limits.ts'
import { doctor, runChecks } from './doctor.ts'
import { readFileGrowth } from './queries.ts'

const program: CommandContext = {
  features: new Map(),
  modules: { providers: new Map(), dialects: new Map(), features: new Map() },
  consoleFiles: new Map(),
  docsFolder: '',
  version: '1.2.3',
  migrations,
  events: combineListeners([]),
  options: {},
}
const KEY = 'the key of the installation'
const GIB = 2 ** 30

const folder = makeTemporaryFolder()
const servers: Bun.Server<undefined>[] = []
const restores: (() => void)[] = []
afterEach(async () => {
  for (const restore of restores.splice(0)) restore()
  await Promise.all(servers.splice(0).map(server => server.stop(true)))
})
afterAll(() => folder.remove())

const serve = (status: number, text: string) => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(text, { status }),
  })
  servers.push(server)
  return { port: server.port ?? 0, origin: `http://127.0.0.1:${server.port}` }
}

/** The statuses of all checks by name. */
async function examine(environment: Readonly<Record<string, string>>) {
  const config = readConfigWithoutWriting({
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    ...environment,
  })
  const results = await runChecks(config, program)
  return { results, statuses: Object.fromEntries(results.map(({ check, status }) => [check, status])) }
}

test('a new installation passes every check, and nothing is created', async () => {
  const dataDir = join(folder.path, 'new', 'data')
  const { statuses } = await examine({ DATA_DIR: dataDir })
  expect(new Set(Object.values(statuses))).toEqual(new Set(['ok']))
  expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined()
})

describe('an installation with channels', () => {
  const dataDir = join(folder.path, 'used')
  const file = join(dataDir, 'tollgate.db')
  const unreachable = 'http://127.0.0.1:1'

  const addChannel = async (name: string, base_url: string) => {
    const database = openDatabase({ url: file, durability: 'process' }, migrations)
    const key_sealed = createSecrets(KEY).encrypt('sk-1')
    const row = { type: 1, name, base_url, key_sealed, key_hash: name, models: 'm', created_time: 1 }
    await database.db
      .insertInto('channels')
      .values({ ...row, status: CHANNEL_STATUS.enabled })
      .execute()
    await database.close()
  }

  beforeAll(async () => {
    const database = openDatabase({ url: file, durability: 'process' }, migrations)
    await migrate(database)
    await database.close()
    await addChannel('unreachable', unreachable)
  })

  test('fails when no host of a channel responds', async () => {
    const { results, statuses } = await examine({ DATA_DIR: dataDir, SECRET_KEY: KEY })
    expect(statuses).toMatchObject({ database: 'ok', key: 'ok', upstreams: 'fail' })
    expect(results.find(({ check }) => check === 'upstreams')?.finding.en).toContain(
      `1 of 1 hosts of channels do not respond: ${unreachable}`,
    )
  })

  test('fails with the secret key of another installation', async () => {
    const { statuses } = await examine({ DATA_DIR: dataDir, SECRET_KEY: 'the key of another installation' })
    expect(statuses).toMatchObject({ database: 'ok', key: 'fail' })
  })

  test('warns when only some hosts respond, and compares the clock with theirs', async () => {
    await addChannel('alive', serve(404, 'no such page').origin)
    const { results, statuses } = await examine({ DATA_DIR: dataDir, SECRET_KEY: KEY })
    expect(statuses).toMatchObject({ upstreams: 'warn', clock: 'ok' })
    expect(results.find(({ check }) => check === 'clock')?.finding.en).toContain(
      'from the nearest other clock',
    )
  })

  test('does not change the permissions that it reports', async () => {
    const keyFile = join(dataDir, 'secret-key')
    writeFileSync(keyFile, `${KEY}\n`, { mode: 0o644 })
    chmodSync(keyFile, 0o644)
    const { statuses } = await examine({ DATA_DIR: dataDir })
    expect(statuses).toMatchObject({ files: 'warn', key: 'ok' })
    expect(statSync(keyFile).mode & 0o777).toBe(0o644)
  })
})

test('fails when the database server does not respond', async () => {
  const { statuses } = await examine({
    DATA_DIR: folder.path,
    DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c',
  })
  expect(statuses).toMatchObject({ database: 'fail' })
  expect(statuses).not.toContainKey('key')
})

test('fails when the database file is none', async () => {
  const dataDir = join(folder.path, 'broken')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'tollgate.db'), 'this is a text and no database'.repeat(100))
  expect((await examine({ DATA_DIR: dataDir })).statuses).toMatchObject({ database: 'fail' })
})

const MIGRATED = {
  version: 'SQLite 3',
  pending: [],
  unknown: [],
  isEmpty: false,
  isWritable: true,
  serverMs: undefined,
}

test.each([
  [{}, 'ok', 'schema up to date'],
  [{ isEmpty: true, pending: ['1', '2'] }, 'ok', 'the first start creates its tables'],
  [{ pending: ['0002-a'] }, 'warn', 'the next start migrates the schema (0002-a)'],
  [{ unknown: ['9999-z'] }, 'fail', 'a newer version has migrated the database (9999-z)'],
  [{ isWritable: false }, 'fail', 'does not accept writes'],
] as const)('a database that is %j is reported as %s', (changes, status, sentence) => {
  const result = describeDatabase({ ...MIGRATED, ...changes })
  expect(result.status).toBe(status)
  expect(result.finding.en).toContain(sentence)
})

describe('the port', () => {
  const check = ({ port }: { readonly port: number }) => checkPort({ host: '127.0.0.1', port })

  test('is fine when a gateway serves on it', async () => {
    expect(await check(serve(200, 'ready\n'))).toMatchObject({ status: 'ok' })
  })

  test('is a warning when the gateway on it is not ready, with its reason', async () => {
    const result = await check(serve(503, 'the process is shutting down\n'))
    expect(result.status).toBe('warn')
    expect(result.finding.en).toContain('the process is shutting down')
  })

  test('is a failure when another program has it', async () => {
    expect(await check(serve(200, 'welcome'))).toMatchObject({ status: 'fail' })
  })
})

test.each([
  [10 * GIB, 'ok'],
  [GIB, 'warn'],
  [GIB / 8, 'fail'],
] as const)('%d free bytes are reported as %s', (bytes, status) => {
  expect(describeFreeSpace('/data', bytes).status).toBe(status)
})

test('says when the disk is full at the pace of the last week, by the log of a file', async () => {
  const path = join(folder.path, 'grown.db')
  const database = openDatabase({ url: path, durability: 'process' }, migrations)
  await migrate(database)
  const now = 100 * 86_400
  expect(await readFileGrowth(database.db, now)).toBeUndefined()
  const [rows, seconds] = [2000, 10 * 86_400]
  const times = Array.from({ length: rows }, (_, index) => now - seconds + (index * seconds) / rows)
  const logs = times.map(created_at => buildLogRow({ request_id: String(created_at), created_at }))
  await database.db.insertInto('logs').values(logs).execute()
  const growth = await readFileGrowth(database.db, now - 7 * 86_400)
  await database.close()
  expect(growth).toMatchObject({ rows, recentRows: 1400, freeBytes: 0, recentFrom: now - 7 * 86_400 })
  const bytesOfDay = ((growth?.usedBytes ?? 0) * 200) / rows
  expect(growth && daysUntilFull(19.5 * bytesOfDay, growth, now)).toBe(19)
  expect(growth && daysUntilFull(1e9, { ...growth, recentRows: 999 }, now)).toBeUndefined()
})

test.each([
  [19, 'ok', 'they are full in 19 days'],
  [13, 'warn', 'they are full in 13 days'],
] as const)('a disk that is full in %d days is reported as %s', (days, status, finding) => {
  const result = describeFreeSpace('/data', 100 * 2 ** 30, days)
  expect([result.status, result.finding.en]).toEqual([status, expect.stringContaining(finding)])
})

test('a data folder below a file cannot be written', () => {
  const file = join(folder.path, 'a-file')
  writeFileSync(file, '')
  expect(checkDisk(join(file, 'below'))).toMatchObject({ status: 'fail' })
})

test('files of another account are a failure', () => {
  const { uid } = statSync(folder.path)
  expect(checkFiles(folder.path, uid + 1)).toMatchObject({ status: 'fail' })
  expect(checkFiles(folder.path, uid)).toMatchObject({ status: 'ok' })
})

test.each([
  [[], 'ok'],
  [[1_800_000_000_000], 'ok'],
  [[1_800_000_010_000], 'warn'],
  [[1_800_000_010_000, 1_800_000_001_000], 'ok'],
  [[1_800_000_100_000], 'fail'],
] as const)('a clock among those at %j is reported as %s', (others, status) => {
  restores.push(setClock({ nowMs: () => 1_800_000_000_000, elapsedMs: () => 0 }))
  expect(checkClock(others).status).toBe(status)
})

test('a clock that was never set is a failure without any other clock', () => {
  restores.push(setClock({ nowMs: () => 0, elapsedMs: () => 0 }))
  expect(checkClock([]).status).toBe('fail')
})

test('says that no host was checked instead of that all respond', () => {
  expect(checkUpstreams([]).finding.en).toContain('no host was checked')
})

test.each([
  [[], '', 'ok'],
  [[], 'https://gateway.example', 'warn'],
  [[], 'https://localhost:3000', 'ok'],
  [['10.0.0.0/8'], 'https://gateway.example', 'ok'],
  [['0.0.0.0/0'], '', 'fail'],
  [['10.0.0.0/8', '::/0'], '', 'fail'],
] as const)(
  'trusted proxies %j with the address %j are reported as %s',
  (trustedProxies, address, status) => {
    expect(checkProxies({ trustedProxies, basePath: '' }, address).status).toBe(status)
  },
)

test.each([
  ['https://gateway.example', 'warn'],
  ['https://gateway.example/other', 'warn'],
  ['https://gateway.example/gw/', 'ok'],
  ['', 'ok'],
] as const)('the address %j below the base path /gw is reported as %s', (address, status) => {
  expect(checkProxies({ trustedProxies: ['10.0.0.1'], basePath: '/gw' }, address).status).toBe(status)
})

const RESULTS = [
  ok('port', { zh: '端口 1 空闲', en: 'port 1 is free' }),
  checkProblem('warn', 'clock', { zh: '相差 9 秒', en: '9 s off' }, { zh: '同步', en: 'synchronize' }),
]

test('prints a line for each check, a remedy below, and a summary, in both languages', () => {
  expect(renderResults(RESULTS, 'en').split('\n')).toEqual([
    'ok    port       port 1 is free',
    'warn  clock      9 s off',
    '                 → synchronize',
    '',
    '2 checks: ok 1, warn 1, fail 0',
  ])
  expect(renderResults(RESULTS, 'zh').split('\n').slice(0, 3)).toEqual([
    '正常  port       端口 1 空闲',
    '警告  clock      相差 9 秒',
    '                 → 同步',
  ])
})

test('the JSON has the status of the worst check', () => {
  expect(JSON.parse(renderJson(RESULTS, 'en'))).toEqual({
    status: 'warn',
    checks: [
      { check: 'port', status: 'ok', finding: 'port 1 is free' },
      { check: 'clock', status: 'warn', finding: '9 s off', remedy: 'synchronize' },
    ],
  })
  const broken = checkProblem('fail', 'port', { zh: '', en: '' }, { zh: '', en: '' })
  expect(worstStatus([...RESULTS, broken])).toBe('fail')
})

test.each([
  [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LANG: 'zh_CN.UTF-8', LC_ALL: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'de_DE.UTF-8' }, 'en'],
  [{}, 'en'],
] as const)('a terminal with %j reads %s', (environment, language) => {
  expect(terminalLanguage(environment)).toBe(language)
})

describe('the command', () => {
  const run = async (args: readonly string[], environment: Readonly<Record<string, string>>) => {
    const former = { ...process.env }
    let printed = ''
    const write = spyOn(process.stdout, 'write').mockImplementation(text => {
      printed += text
      return true
    })
    Object.assign(process.env, { DATA_DIR: join(folder.path, 'command'), HOST: '127.0.0.1', ...environment })
    try {
      return { code: await doctor(args, program), printed }
    } finally {
      write.mockRestore()
      for (const name of ['DATA_DIR', 'HOST', ...Object.keys(environment)]) {
        if (former[name] === undefined) delete process.env[name]
        else process.env[name] = former[name]
      }
    }
  }

  test('exits with 0 when nothing fails and prints JSON', async () => {
    const { code, printed } = await run(['--json'], { PORT: String(await freePort()) })
    expect(code).toBe(0)
    expect(JSON.parse(printed).status).toBe('ok')
  })

  test('exits with 1 and names the variable when a setting is invalid', async () => {
    const { code, printed } = await run([], { PORT: 'http', LC_ALL: 'zh_CN.UTF-8' })
    expect(code).toBe(1)
    expect(printed).toContain('PORT must be a whole number')
    expect(printed).toContain('1 项故障')
  })

  test.each([
    [200, 'ready\n', 0],
    [200, 'ready; the shared store of rate limits does not respond\n', 0],
    [503, 'the process is shutting down\n', 1],
    [200, 'welcome\n', 1],
  ])('--ready exits with the state of the gateway: %d %j gives %d', async (status, text, expected) => {
    const { code, printed } = await run(['--ready'], { PORT: String(serve(status, text).port) })
    expect(code).toBe(expected)
    expect(printed).toBe(text)
  })

  test('--ready exits with 1 when nothing listens, and creates nothing', async () => {
    expect((await run(['--ready'], { PORT: '1' })).code).toBe(1)
    expect(readdirSync(folder.path)).not.toContain('command')
  })
})

test.each([
  ['no folder', undefined, [], 'ok'],
  ['an empty folder', 'empty', [], 'warn'],
  ['a recent backup', 'recent', [1], 'ok'],
  ['backups that stopped', 'stopped', [72, 200], 'warn'],
] as const)('%s of scheduled backups is reported', (_, name, agesHours, status) => {
  const path = name === undefined ? undefined : join(folder.path, 'backups', name)
  if (path !== undefined) mkdirSync(path, { recursive: true })
  for (const hours of agesHours) {
    const seconds = nowSeconds() - hours * 3600
    const time = new Date(seconds * 1000).toISOString().slice(0, 19).replaceAll(':', '-')
    const file = join(path ?? '', `tollgate-${time}Z.db`)
    writeFileSync(file, '')
    utimesSync(file, seconds, seconds)
  }
  const result = checkBackups({ folder: path, intervalHours: 24, keep: 7, isMadeBeforeUpgrade: true })
  expect(result.status).toBe(status)
})

test('says whether the store of shared rate limits responds, where one is named', async () => {
  const redis = openLocalRedis()
  const check = async (redisUrl: string | undefined) =>
    (await checkSharedLimits({ redisUrl })).map(({ status, finding }) => [status, finding.en])
  expect(await check(undefined)).toEqual([])
  expect(await check(redis.url)).toEqual([['ok', expect.stringMatching(/^REDIS_URL responds within \d+ ms/)]])
  redis.close()
  expect(await check(redis.url)).toEqual([['fail', expect.stringContaining('rate limits of its own')]])
})

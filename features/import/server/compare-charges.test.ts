import { Database as SqliteFile } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { nowSeconds } from '#server/core/clock.ts'
import { renderSummary } from './import-report.ts'
import { source as oneApi } from './sources/one-api/index.ts'
import { openTestImport, type TestImport } from './testing/test-import.ts'

const DAY = 86_400

let target: TestImport
beforeEach(async () => {
  target = await openTestImport()
})
afterEach(() => target.close())

interface LogRow {
  readonly user_id?: number
  readonly username?: string
  readonly model_name: string
  readonly group?: string
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly other?: object
  readonly type?: number
  readonly daysAgo?: number
}

const COLUMNS =
  'id, user_id, created_at, type, content, username, model_name, quota, prompt_tokens, completion_tokens, channel_id, token_id, "group", other'

/** Imports new-api's database with these options and log rows, in a dry run, and compares. */
async function compare(settings: Readonly<Record<string, unknown>>, rows: readonly LogRow[]) {
  const path = target.writeSource('new-api', 'delete from logs; delete from options')
  const file = new SqliteFile(path)
  for (const [key, value] of Object.entries(settings))
    file.prepare('insert into options(key, value) values (?, ?)').run(key, JSON.stringify(value))
  for (const [index, row] of rows.entries()) {
    const { user_id = 1, username = 'root', group = 'default', type = 2, daysAgo = 1, other = {} } = row
    const { model_name: model, quota, prompt_tokens: input, completion_tokens: output } = row
    const at = nowSeconds() - daysAgo * DAY
    file
      .prepare(`insert into logs(${COLUMNS}) values (?, ?, ?, ?, '', ?, ?, ?, ?, ?, 1, 1, ?, ?)`)
      .run(index + 1, user_id, at, type, username, model, quota, input, output, group, JSON.stringify(other))
  }
  file.close()
  const report = await target.run(path, [oneApi], { isDryRun: true, isCompared: true })
  return { ...report.comparison, summary: renderSummary(report) }
}

const SETTINGS = {
  ModelRatio: { own: 1, plain: 0.5 },
  CompletionRatio: { own: 4, plain: 1 },
  CacheRatio: { own: 0.1 },
  CreateCacheRatio: { own: 1.25 },
  ModelPrice: { fixed: 0.01 },
  GroupRatio: { default: 1, vip: 0.8 },
}
const row = (model_name: string, quota: number, rest: Partial<LogRow> = {}): LogRow => ({
  model_name,
  quota,
  prompt_tokens: 1000,
  completion_tokens: 100,
  ...rest,
})

test('requests that were charged by the prices that came cost the same here', async () => {
  const rows = [
    row('own', 1400),
    row('own', 1120, { group: 'vip' }),
    // 500 + 500 × 0.1 + 100 × 4
    row('own', 950, { other: { cache_tokens: 500 } }),
    // 1000 + 2000 × 0.1 + 400 × 1.25 + 100 × 4
    row('own', 2100, { other: { claude: true, cache_tokens: 2000, cache_creation_tokens: 400 } }),
    // The same without the mark of the format, as earlier versions write it.
    row('own', 2100, { other: { cache_tokens: 2000, cache_creation_tokens: 400 } }),
    row('plain', 550),
    row('fixed', 5000),
  ]
  const { requests, there, here, unpriced, summary } = await compare(SETTINGS, rows)
  expect({ requests, there, here, unpriced }).toEqual({
    requests: 7,
    there: 13_220,
    here: 13_220,
    unpriced: [],
  })
  expect(summary).toContain(
    '7 requests of the last 30 days: $0.0264 there, $0.0264 at the prices here (the same)',
  )
  expect(summary).toContain('each user pays the same\neach model pays the same')
})

test('names who pays more or less, by user and model, the largest difference first', async () => {
  const rows = [
    // Ratios between groups do not exist here.
    row('own', 1260, { username: 'a', user_id: 2 }),
    row('own', 1260, { username: 'a', user_id: 2 }),
    row('plain', 600, { username: 'b', user_id: 3 }),
    row('fixed', 0, { username: 'c', user_id: 4 }),
  ]
  const { users, models, summary } = await compare(SETTINGS, rows)
  expect(users).toEqual([
    { name: 'c', requests: 1, there: 0, here: 5000 },
    { name: 'a', requests: 2, there: 2520, here: 2800 },
    { name: 'b', requests: 1, there: 600, here: 550 },
  ])
  expect(models?.map(({ name }) => name)).toEqual(['fixed', 'own', 'plain'])
  expect(summary).toMatch(/^c +\$0\.0000 +\$0\.0100 +free there$/m)
  expect(summary).toMatch(/^a +\$0\.0050 +\$0\.0056 +\+11\.1 %$/m)
  expect(summary).toMatch(/^b +\$0\.0012 +\$0\.0011 +-8\.3 %$/m)
})

test('says which requests have no price here, and leaves out what is older or no request', async () => {
  const rows = [
    row('nobody-knows', 100),
    row('nobody-knows', 100),
    row('own', 1400, { group: 'gone' }),
    row('tts-1', 720, { prompt_tokens: 720, completion_tokens: 0 }),
    row('own', 9000, { other: { is_task: true } }),
    row('own', 1400, { daysAgo: 31 }),
    row('own', 1400, { type: 1 }),
  ]
  const { requests, unpriced, summary } = await compare(SETTINGS, rows)
  expect(requests).toBe(0)
  expect(unpriced?.map(({ name, requests: count }) => [name, count])).toEqual([
    ['own is not counted in tokens', 1],
    ['no ratio for the group gone', 1],
    ['tts-1 is not counted in tokens', 1],
    ['no price for nobody-knows', 2],
  ])
  expect(summary).toContain('not compared: no price for nobody-knows, 2 requests that cost $0.0004 there')
})

test('says that there is nothing to compare', async () => {
  expect((await compare(SETTINGS, [])).summary).toContain('no requests of the last 30 days to compare')
})

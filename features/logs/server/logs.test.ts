import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { setClock } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { sameInBoth } from '#server/core/language.ts'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { rollUpDays } from '#server/db/usage/roll-ups.ts'
import { type Ledger, openLedger } from '#server/ledger/ledger.ts'
import { LEDGER_OPTIONS } from '#server/ledger/testing.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { deleteLogs, getLogDeletion } from '../contract/log-deletion.ts'
import { LogDetail } from '../contract/log-detail.ts'
import * as endpoints from '../contract/logs.ts'
import { createReceiptLink, createSelfReceiptLink, getReceipt } from '../contract/receipt-links.ts'
import { createLogDeletion } from './log-deletion.ts'

const HOUR = 3600
/** Ten minutes past a full hour. */
const NOW = 1_700_000_400 - (1_700_000_400 % HOUR) + 600

let app: TestApp
let anna: TestClient
let ledger: Ledger
let tokenId: number
let clock = NOW
let restore: () => void

beforeEach(async () => {
  clock = NOW
  restore = setClock({ nowMs: () => clock * 1000, elapsedMs: () => clock * 1000 })
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna', quota: 1_000_000 })
  await app.root.call(createChannels, {
    body: { type: 1, name: 'up-1', key: 'k', models: 'm', group: 'default' },
  })
  tokenId = (await anna.call(createToken, { body: { name: 'prod', unlimited_quota: true } })).data.id
  ledger = openLedger({
    db: app.db,
    engine: process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite',
    log: noopLogger,
    processId: 'p',
    options: () => LEDGER_OPTIONS,
  })
})
afterEach(async () => {
  await ledger.close()
  await app.close()
  restore()
})

/** What a budget lowered, as the log shows it. */
const LOWERED = {
  budget: 'Course',
  percent: 80,
  from: 'gpt-4o',
  to: 'gpt-4o',
  effort: { from: 'high', to: 'low' },
  amount: 100,
  saved: 0,
}

const RECEIPT = {
  ending: 'complete',
  provenance: 'upstream',
  use_ms: 2100,
  frt_ms: 300,
  model: { requested: 'gpt-4o', upstream: 'gpt-4o-2024' },
  dropped_tools: ['web_search'],
  bends: [{ budget_id: 3, ...LOWERED }],
  price: {
    model_ratio: 1.25,
    completion_ratio: 4,
    cache_ratio: 0.5,
    create_cache_ratio: 1,
    group_ratio: 1,
    model_price: -1,
  },
  usage: { input: 600, cachedInput: 400, output: 500 },
  lines: [
    { bucket: 'input', tokens: 600, ratio: 1, amount: '750' },
    { bucket: 'output', tokens: 1, ratio: 2, amount: '2', above: 500 },
  ],
  exact: '3500',
  hold: 4000,
  cost_nanos: 5_600_000,
  attempts: [
    { channel_id: 9, channel_name: 'gone', status: 429, ms: 20, code: 'rate_limited' },
    { channel_id: 1, channel_name: 'up-1', status: 200, ms: 2000 },
  ],
}

interface LogQuery {
  at?: number
  model?: string
  client?: TestClient
  token?: number | null
  group?: string
  isFailed?: boolean
  units?: number
  channelId?: number
}

/** Records one request through the real ledger, `at` seconds ago. */
async function ask({
  at = 0,
  model = 'gpt-4o',
  client = anna,
  token = tokenId,
  group = 'default',
  ...rest
}: LogQuery = {}) {
  clock = NOW - at
  const { isFailed = false, units = 100, channelId = 1 } = rest
  const entry = {
    username: client === anna ? 'anna' : 'root',
    tokenName: token === null ? `playground-${group}` : 'prod',
    modelName: model,
    channelId,
    group,
    promptTokens: 10,
    completionTokens: 5,
    useTimeSeconds: 2,
    isStream: true,
    content: '',
  }
  const holdRequest = {
    requestId: newRequestId(),
    userId: client.id,
    tokenId: token,
    isTokenLimited: false,
    amount: quota(units),
  }
  const hold = await ledger.reserve(holdRequest)
  if (isFailed)
    await ledger.release(hold, { entry, receipt: { ending: 'failed', status: 503, code: 'x', attempts: [] } })
  else await ledger.settle(hold, { amount: quota(units), entry, receipt: RECEIPT })
  clock = NOW
  return holdRequest.requestId
}

const note = (at: number, content: string) => {
  clock = NOW - at
  return inTransaction(app.db, tx =>
    insertEventLog(tx, {
      type: 3,
      userId: anna.id,
      username: 'anna',
      content: sameInBoth(content),
      quota: 7,
    }),
  ).finally(() => {
    clock = NOW
  })
}

const list = async (query: object = {}) =>
  (await app.root.call(endpoints.listLogs, { query: { ...query } })).data
const models = (items: readonly endpoints.LogEntry[]) => items.map(item => item.model_name)
/** Strict: fields that the contract does not declare must not be returned. */
const detail = (entry: endpoints.LogEntry | undefined) =>
  LogDetail.strict().parse(JSON.parse(entry?.other ?? ''))

describe('200: rows', () => {
  test('shows administrators prices, bill, attempts and channel of a request', async () => {
    const requestId = await ask()
    const { items, total } = await list()
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      request_id: requestId,
      username: 'anna',
      token_name: 'prod',
      type: 2,
      quota: 100,
      channel: 1,
      channel_name: 'up-1',
      is_stream: true,
      use_time: 2,
    })
    expect(detail(items[0])).toEqual({
      group: 'default',
      model_ratio: 1.25,
      completion_ratio: 4,
      cache_ratio: 0.5,
      group_ratio: 1,
      model_price: -1,
      cache_tokens: 400,
      frt: 300,
      use_ms: 2100,
      provenance: 'upstream',
      ending: 'complete',
      is_estimated: false,
      dropped_tools: ['web_search'],
      bends: [LOWERED],
      is_model_mapped: true,
      upstream_model_name: 'gpt-4o-2024',
      admin_info: { use_channel: ['9', '1'] },
      attempts: RECEIPT.attempts,
      bill: { lines: RECEIPT.lines, exact: '3500', hold: 4000 },
      cost_nanos: 5_600_000,
    })
  })

  test('shows users only their own rows, without channels', async () => {
    await ask()
    await ask({ client: app.root, token: null })
    const { data } = await anna.call(endpoints.listSelfLogs)
    expect(data.total).toBe(1)
    expect(data.items[0]).toMatchObject({ username: 'anna', channel: 0, channel_name: '' })
    const text = JSON.stringify(data)
    expect(text).not.toContain('up-1')
    expect(text).not.toContain('channel_id')
    expect(text).not.toContain('admin_info')
    expect(text).not.toContain('cost_nanos')
    expect(detail(data.items[0]).attempts).toEqual([
      { status: 429, ms: 20, code: 'rate_limited' },
      { status: 200, ms: 2000 },
    ])
  })

  test('records why a request failed and charges nothing', async () => {
    await ask({ isFailed: true })
    const { items } = await list({ type: 5 })
    expect(items[0]).toMatchObject({ type: 5, quota: 0 })
    expect(detail(items[0])).toMatchObject({ error: { status: 503, code: 'x' }, frt: -1000 })
  })

  test('returns one row by id, for users only their own', async () => {
    await ask()
    await ask({ client: app.root, token: null })
    const [roots, annas] = (await list()).items
    if (!roots || !annas) throw new Error('two rows were written')
    expect((await app.root.call(endpoints.getLog, { params: { id: roots.id } })).data).toEqual(roots)
    expect((await anna.call(endpoints.getSelfLog, { params: { id: annas.id } })).data.id).toBe(annas.id)
    expect((await anna.call(endpoints.getSelfLog, { params: { id: roots.id } })).code).toBe('log.unknown')
  })

  test('selects rows by a tag, with totals and in files, and shows the tags of each row', async () => {
    const tagged = await ask({ model: 'm0', at: 60 })
    const other = await ask({ model: 'm1', at: 3 * HOUR })
    await ask({ model: 'm2' })
    const rowOf = (request_id: string, key: string, value: string) => ({
      ...{ request_id, key, value },
      created_at: NOW - 4 * HOUR,
    })
    await app.db
      .insertInto('request_tags')
      .values([rowOf(tagged, 'project', 'a=b'), rowOf(tagged, 'env', 'prod'), rowOf(other, 'project', 'c')])
      .execute()
    const select = async (tag: string) => (await anna.call(endpoints.listSelfLogs, { query: { tag } })).data
    const exact = await select('project=a=b')
    expect(exact.items.map(({ model_name }) => model_name)).toEqual(['m0'])
    expect(exact.items[0]?.tags).toEqual({ env: 'prod', project: 'a=b' })
    expect(exact.total).toBe(1)
    const any = await select('project')
    expect([any.total, ...any.items.map(({ model_name }) => model_name)]).toEqual([2, 'm0', 'm1'])
    expect((await select('project=none')).total).toBe(0)
    const file = await (await anna.fetch('/api/log/self/export?layout=plain&tag=env%3Dprod')).text()
    expect(file).toContain('"env=prod, project=a=b"')
    expect(file.trim().split('\r\n')).toHaveLength(2)
  })

  test('combines filters', async () => {
    await ask({ model: 'gpt-4o', at: 5 })
    await ask({ model: 'gpt-4o-mini', at: 4 })
    await ask({ model: 'claude', group: 'vip', at: 3 })
    await ask({ model: 'claude', client: app.root, token: null, at: 2 })
    await note(1, 'quota changed')
    expect(models((await list({ model_name: 'gpt-4o' })).items)).toEqual(['gpt-4o'])
    expect(models((await list({ model_name: 'gpt-%' })).items)).toEqual(['gpt-4o-mini', 'gpt-4o'])
    expect(models((await list({ model_name: 'gpt_4%' })).items)).toEqual([])
    expect(models((await list({ model_name: '%\\' })).items)).toEqual([])
    expect(models((await list({ model_name: 'gpt-4o,claude' })).items)).toEqual([
      'claude',
      'claude',
      'gpt-4o',
    ])
    expect(models((await list({ username: 'root' })).items)).toEqual(['claude'])
    expect(models((await list({ group: 'vip', username: 'anna' })).items)).toEqual(['claude'])
    expect(models((await list({ token_name: 'playground-default' })).items)).toEqual(['claude'])
    expect(await list({ token_name: 'prod' })).toMatchObject({ total: 3 })
    expect(await list({ token_name: 'unknown' })).toMatchObject({ total: 0, items: [] })
    expect(await list({ username: 'unknown' })).toMatchObject({ total: 0, items: [] })
    expect(await list({ channel: 77 })).toMatchObject({ total: 0 })
    expect((await list({ type: 3 })).items[0]).toMatchObject({
      content: 'quota changed',
      quota: 7,
      other: '',
    })
    expect(await list()).toMatchObject({ total: 5 })
  })

  test('combines exclusions with each other and with filters', async () => {
    await ask({ model: 'gpt-4o', at: 5 })
    await ask({ model: 'gpt-4o-mini', at: 4, isFailed: true })
    await ask({ model: 'claude', group: 'vip', at: 3 })
    await ask({ model: 'llama', client: app.root, token: null, at: 2 })
    const left = async (query: object) => models((await list(query)).items)
    expect(await left({ not_model_name: 'claude,llama' })).toEqual(['gpt-4o-mini', 'gpt-4o'])
    expect(await left({ not_model_name: 'gpt-%' })).toEqual(['llama', 'claude'])
    expect(await left({ not_type: '5' })).toEqual(['llama', 'claude', 'gpt-4o'])
    expect(await left({ not_group: 'vip\nother' })).toEqual(['llama', 'gpt-4o-mini', 'gpt-4o'])
    expect(await left({ not_username: 'root\nnobody' })).toEqual(['claude', 'gpt-4o-mini', 'gpt-4o'])
    expect(await left({ not_token_name: 'prod' })).toEqual(['llama'])
    expect(await left({ not_token_name: 'playground-default' })).toEqual(['claude', 'gpt-4o-mini', 'gpt-4o'])
    expect(await left({ not_channel: '1' })).toEqual([])
    expect(await left({ not_channel: '2,3' })).toHaveLength(4)
    expect(await left({ group: 'default', not_model_name: 'llama', not_type: '5' })).toEqual(['gpt-4o'])
    expect((await list({ not_model_name: 'claude' })).total).toBe(3)
    const { data: stat } = await app.root.call(endpoints.getLogStat, { query: { not_model_name: 'claude' } })
    expect(stat).toMatchObject({ count: 3, errors: 1, quota: 200 })
    const { data: facets } = await app.root.call(endpoints.getLogFacets, {
      query: { not_model_name: 'claude' },
    })
    expect(facets.models.map(({ value }) => value).toSorted()).toEqual([
      'claude',
      'gpt-4o',
      'gpt-4o-mini',
      'llama',
    ])
    expect(facets.groups).toEqual([{ value: 'default', count: 3 }])
    const own = await anna.call(endpoints.listSelfLogs, {
      query: { not_model_name: 'claude', not_type: '5' },
    })
    expect(models(own.data.items)).toEqual(['gpt-4o'])
  })

  test('finds a row by its request id at any age', async () => {
    const requestId = await ask({ at: 10 * HOUR })
    await ask()
    const found = await list({ request_id: requestId })
    expect(found).toMatchObject({ total: 1, items: [{ request_id: requestId }] })
  })

  test('pages from 1, treats 0 as 1, and totals hours and edges correctly', async () => {
    for (const at of [0, 60, 599, 601, HOUR, 2 * HOUR, 5 * HOUR]) await ask({ at, model: `m${at}` })
    const first = await list({ p: 0, page_size: 3 })
    expect(first).toMatchObject({ page: 1, page_size: 3, total: 7 })
    expect(models(first.items)).toEqual(['m0', 'm60', 'm599'])
    expect(models((await list({ p: 3, page_size: 3 })).items)).toEqual(['m18000'])
    expect((await list({ p: 9, page_size: 3 })).items).toEqual([])
    const within = { start_timestamp: NOW - 2 * HOUR, end_timestamp: NOW - 599 }
    expect(await list(within)).toMatchObject({ total: 4 })
    expect(models((await list(within)).items)).toEqual(['m599', 'm601', 'm3600', 'm7200'])
    const hour = { start_timestamp: NOW - 601, end_timestamp: NOW - 599 }
    expect(await list(hour)).toMatchObject({ total: 2 })
  })

  test('finds distant rows for the first page', async () => {
    await ask({ model: 'rare', at: 400 * HOUR })
    for (let at = 0; at < 20; at++) await ask({ at: at * HOUR })
    expect(await list({ model_name: 'rare' })).toMatchObject({ total: 1, items: [{ model_name: 'rare' }] })
  })
})

describe('200: requests that were counted but not logged', () => {
  test('leaves no gap in a page where rows were not logged', async () => {
    for (let at = 1; at <= 5; at++) await ask({ at: at * HOUR, model: `m${at}` })
    await app.db.deleteFrom('logs').where('model_name', 'in', ['m1', 'm3']).execute()
    const { items, total } = await list({ page_size: 10 })
    expect(models(items)).toEqual(['m2', 'm4', 'm5'])
    expect(total).toBe(3)
    expect(models((await list({ page_size: 2 })).items)).toEqual(['m2', 'm4'])
  })
})

describe('200: totals and charts', () => {
  test('totals the matching requests and the rate of the last minute', async () => {
    await ask({ at: 10, units: 30 })
    await ask({ at: 50, isFailed: true })
    await ask({ at: 700, units: 20 })
    await ask({ at: 30 * HOUR, units: 1 })
    await note(5, 'not a call')
    const stat = async (query: object) =>
      (await app.root.call(endpoints.getLogStat, { query: { ...query } })).data
    expect(await stat({})).toEqual({ quota: 51, count: 4, errors: 1, tokens: 60, rpm: 1, tpm: 15 })
    expect(await stat({ type: 3 })).toMatchObject({ quota: 0, count: 0, rpm: 0 })
    expect(await stat({ type: 5 })).toMatchObject({ quota: 0, count: 1, errors: 1, rpm: 0 })
    expect(await stat({ type: 2 })).toMatchObject({ quota: 51, count: 3, errors: 0, rpm: 1 })
    expect(await stat({ start_timestamp: NOW - 699 })).toMatchObject({ quota: 30, count: 2 })
    expect(await stat({ start_timestamp: NOW - 700, end_timestamp: NOW - 51 })).toMatchObject({
      quota: 20,
      count: 1,
    })
    expect(await stat({ username: 'root' })).toEqual({
      quota: 0,
      count: 0,
      errors: 0,
      tokens: 0,
      rpm: 0,
      tpm: 0,
    })
  })

  test("totals only the caller's requests, even when the name belonged to somebody else", async () => {
    await ask({ client: app.root, token: null })
    await app.db.updateTable('logs').set({ username: 'anna' }).execute()
    expect((await anna.call(endpoints.getSelfLogStat)).data).toMatchObject({ quota: 0, count: 0, rpm: 0 })
  })

  test('totals a single request', async () => {
    const request_id = await ask({ units: 42 })
    await ask()
    expect((await app.root.call(endpoints.getLogStat, { query: { request_id } })).data).toMatchObject({
      quota: 42,
      count: 1,
    })
  })

  test('uses hours for short ranges and local days for longer ones', async () => {
    await ask({ at: 0, units: 5 })
    await ask({ at: 10, isFailed: true })
    await ask({ at: HOUR, units: 7 })
    const chart = async (query: object) =>
      (await app.root.call(endpoints.getLogHistogram, { query: { ...query } })).data
    const hour = NOW - 600
    expect(await chart({ start_timestamp: NOW - 2 * HOUR })).toEqual({
      bucket_seconds: HOUR,
      points: [
        { start: hour - HOUR, name: 'success', count: 1, quota: 7, tokens: 15 },
        { start: hour, name: 'error', count: 1, quota: 0, tokens: 15 },
        { start: hour, name: 'success', count: 1, quota: 5, tokens: 15 },
      ],
    })
    await ask({ at: 10 * 24 * HOUR, units: 3 })
    const days = await chart({ utc_offset_minutes: 480 })
    expect(days.bucket_seconds).toBe(24 * HOUR)
    for (const { start } of days.points) expect((start + 480 * 60) % (24 * HOUR)).toBe(0)
    expect(days.points.reduce((sum, point) => sum + point.count, 0)).toBe(4)
  })

  test('shows the most frequent models and sums up the others', async () => {
    for (let i = 0; i < 10; i++) await ask({ model: `m${i}` })
    await ask({ model: 'm9' })
    const { points } = (await anna.call(endpoints.getSelfLogHistogram, { query: { split: 'model' } })).data
    expect(points).toHaveLength(9)
    expect(points.find(point => point.name === 'm9')?.count).toBe(2)
    expect(points.find(point => point.name === '')?.count).toBe(2)
  })

  test("counts each filter's values under the other filters", async () => {
    await ask({ model: 'a' })
    await ask({ model: 'a', group: 'vip' })
    await ask({ model: 'b', client: app.root, token: null })
    const { data } = await app.root.call(endpoints.getLogFacets, { query: { model_name: 'a' } })
    expect(data).toEqual({
      models: [
        { value: 'a', count: 2 },
        { value: 'b', count: 1 },
      ],
      groups: [
        { value: 'default', count: 1 },
        { value: 'vip', count: 1 },
      ],
      types: [{ value: '2', count: 2 }],
      errors: [],
      tokens: [{ id: tokenId, value: 'prod', count: 2 }],
      channels: [{ id: 1, value: 'up-1', count: 2 }],
      users: [{ id: anna.id, value: 'anna', count: 2 }],
    })
    const own = (await anna.call(endpoints.getSelfLogFacets)).data
    expect(own).toMatchObject({ channels: [], users: [], models: [{ value: 'a', count: 2 }] })
  })
})

test('shows and exports texts in the language of the reader', async () => {
  const content = { zh: '通过兑换码充值 7 点', en: 'Topped up with a redemption code: 7 units' }
  await inTransaction(app.db, tx =>
    insertEventLog(tx, { type: 1, userId: anna.id, username: 'anna', content }),
  )
  const { id } = await app.db.selectFrom('logs').select('id').executeTakeFirstOrThrow()
  for (const path of ['/api/log/', '/api/log/export', `/api/log/${id}`])
    for (const language of ['zh', 'en'] as const) {
      const response = await app.root.fetch(path, { headers: { 'accept-language': language } })
      const text = await response.text()
      expect(text).toContain(content[language])
      expect(text).not.toContain(content[language === 'zh' ? 'en' : 'zh'])
    }
})

describe('200: export and deletion', () => {
  const csv = async (client: TestClient, path: string) => {
    const response = await client.fetch(path)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    return new TextDecoder().decode(bytes)
  }

  test('exports all matching rows, newest first, and neutralizes formulas', async () => {
    for (let at = 0; at < 5; at++) await ask({ at, model: `m${at}` })
    await note(10, '=cmd()|"x",\n')
    const text = await csv(app.root, '/api/log/export')
    const cells = text.split('\r\n')
    expect(cells).toHaveLength(8)
    expect(cells[1]).toContain(',m0,')
    expect(cells[6]).toContain(`"'=cmd()|""x"",\n"`)
    expect(await csv(app.root, '/api/log/export?model_name=m3')).not.toContain(',m0,')
  })

  test('exports for people: dollars, words, and times of the zone', async () => {
    await ask({ model: 'm0', units: 250 })
    const path = '/api/log/self/export?layout=plain&time_zone=Asia/Shanghai'
    const [head, row] = (await csv(anna, path)).split('\r\n')
    expect(head).toBe(
      'Time (Asia/Shanghai),Type,Token,Group,Model,Input tokens,Output tokens,Cost (USD),Duration (s),Details,Tags,Request ID',
    )
    const local = new Date((NOW + 8 * HOUR) * 1000).toISOString().replace('T', ' ').slice(0, 19)
    expect(row).toStartWith(`${local},Usage,`)
    expect(row).toContain(',m0,')
    expect(row).toContain(',0.0005,')
    const wrong = await anna.fetch('/api/log/self/export?layout=plain&time_zone=Nowhere')
    expect(await wrong.json()).toMatchObject({ success: false })
  })

  test('shows a receipt to whoever has its link, and links only own rows to users', async () => {
    await ask({ model: 'm0' })
    await ask({ client: app.root, token: null, model: 'of-root' })
    const [ofRoot, ofAnna] = (await app.root.call(endpoints.listLogs)).data.items
    const path = (id: number | undefined) => ({ params: { id: id ?? 0 } })
    const { data } = await anna.call(createSelfReceiptLink, path(ofAnna?.id))
    const receipt = await app.visitor.call(getReceipt, { query: { link: data.link } })
    expect(receipt.data).toMatchObject({ model_name: 'm0', username: 'anna', channel: 0, channel_name: '' })
    expect((await anna.call(createSelfReceiptLink, path(ofRoot?.id))).success).toBe(false)
    expect((await anna.call(createReceiptLink, path(ofRoot?.id))).success).toBe(false)
    expect((await app.visitor.call(getReceipt, { query: { link: `${data.link}0` } })).success).toBe(false)
  })

  test("omits channels from an export of the caller's rows", async () => {
    await ask()
    await ask({ client: app.root, token: null, model: 'secret-model' })
    const text = await csv(anna, '/api/log/self/export')
    expect(text).not.toContain('secret-model')
    expect(text).not.toContain('up-1')
  })

  test('deletes old rows with their receipts and keeps the totals', async () => {
    await ask({ at: 5 * HOUR, units: 40 })
    await ask({ at: 0, units: 2 })
    const { data } = await app.root.call(deleteLogs, { query: { target_timestamp: NOW - HOUR } })
    expect(data).toBe(1)
    expect(await list()).toMatchObject({ total: 1 })
    expect(await app.db.selectFrom('receipts').selectAll().execute()).toHaveLength(1)
    expect(
      (await app.db.selectFrom('users').select('used_quota').where('id', '=', anna.id).executeTakeFirst())
        ?.used_quota,
    ).toBe(42)
  })
})

describe('daily sums', () => {
  test('returns the same pages, totals and filter values as hourly sums', async () => {
    const DAY = 24 * HOUR
    for (let index = 0; index < 40; index += 1)
      await ask({ at: 5 * DAY - index * 3 * HOUR, model: `m${index % 3}`, units: index + 1 })
    const read = async () => {
      const queries = [{}, { model_name: 'm1' }, { type: '2', start_timestamp: String(NOW - 4 * DAY) }]
      const pages = [1, 2, 3, 4, 5].flatMap(p => queries.map(query => ({ ...query, p, page_size: 9 })))
      const lists = await Promise.all(
        pages.map(async query => (await app.root.call(endpoints.listLogs, { query })).data),
      )
      const totals = await Promise.all(
        queries.map(async query => (await app.root.call(endpoints.getLogStat, { query })).data),
      )
      return { lists, totals, facets: (await app.root.call(endpoints.getLogFacets)).data }
    }
    const before = await read()
    expect(await rollUpDays({ db: app.db, reader: app.db }, NOW)).toBeGreaterThan(3)
    expect(await read()).toEqual(before)
  })
})

describe('search for older clients', () => {
  test('finds rows by type or beginning of the text, for users only their own', async () => {
    await ask()
    await ask({ client: app.root, isFailed: true })
    const about = { type: 3, userId: anna.id, username: 'anna', content: sameInBoth('100% changed') } as const
    await inTransaction(app.db, tx => insertEventLog(tx, about))
    const search = async (client: TestClient, endpoint: typeof endpoints.searchLogs, keyword: string) =>
      (await client.call(endpoint, { query: { keyword } })).data.map(row => row.type)
    expect(await search(app.root, endpoints.searchLogs, '2')).toEqual([2])
    expect(await search(app.root, endpoints.searchLogs, '5')).toEqual([5])
    expect(await search(app.root, endpoints.searchLogs, '100%')).toEqual([3])
    expect(await search(app.root, endpoints.searchLogs, '%')).toEqual([])
    expect(await search(anna, endpoints.searchSelfLogs, '5')).toEqual([])
    expect(await search(anna, endpoints.searchSelfLogs, '100%')).toEqual([3])
  })
})

describe('deletion in the background', () => {
  const progress = async () => (await app.root.call(getLogDeletion)).data

  test('returns at once, reports progress and rejects a second run', async () => {
    expect(await progress()).toMatchObject({ is_running: false, started_at: 0 })
    await ask({ at: 5 * HOUR, units: 40 })
    await ask({ at: 4 * HOUR, units: 2 })
    const query = { target_timestamp: NOW - HOUR, background: true }
    const [first, second] = await Promise.all([
      app.root.call(deleteLogs, { query }),
      app.root.call(deleteLogs, { query }),
    ])
    expect([first, second].map(response => response.code).toSorted()).toEqual(
      [undefined, 'log.deletion_running'].toSorted(),
    )
    expect(first.data ?? second.data).toBe(0)
    while ((await progress()).is_running) await Bun.sleep(1)
    expect(await progress()).toMatchObject({
      target_timestamp: NOW - HOUR,
      total: 2,
      deleted: 2,
      has_failed: false,
      finished_at: NOW,
    })
    expect(await list()).toMatchObject({ total: 0 })
  })

  test('lets requests run between its batches', async () => {
    const deletion = createLogDeletion()
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 0)
    const pieces = Array.from({ length: 10 }, () => 1)
    await deletion.start({ beforeSeconds: 9, total: 10, deleteBatch: async () => pieces.shift() ?? 0 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(8)
  })

  test('deletes in batches and reports a failure', async () => {
    const deletion = createLogDeletion()
    const pieces = [2, 2, 1]
    const run = { beforeSeconds: 9, total: 3 }
    expect(await deletion.start({ ...run, deleteBatch: async () => pieces.shift() ?? 0 })).toBe(5)
    expect(deletion.progress()).toMatchObject({ deleted: 5, total: 5, is_running: false })
    const broken = deletion.start({ ...run, deleteBatch: () => Promise.reject(new Error('disk full')) })
    await expect(broken).rejects.toThrow('disk full')
    expect(deletion.progress()).toMatchObject({ deleted: 0, has_failed: true, is_running: false })
  })
})

describe('errors', () => {
  test('rejects a deletion without a time', async () => {
    expect((await app.root.call(deleteLogs)).code).toBe('log.time_needed')
  })

  test('rejects exclusions that are not numbers', async () => {
    const response = await app.root.fetch('/api/log/?not_type=failed')
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_parameter' })
  })

  test('rejects a filter that is not a number', async () => {
    const response = await app.root.fetch('/api/log/?start_timestamp=yesterday')
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_parameter' })
  })
})

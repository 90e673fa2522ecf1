import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { auditLedger } from '#server/ledger/audit.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { describeTimeAhead } from '#server/testing/time-ahead.ts'
import { endChildren } from './lifecycle.ts'

const PATH = '/v1/child_tokens'
const CHAT = '/v1/chat/completions'
const BODY = { model: 'lab', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }

let relay: TestRelay
const time = describeTimeAhead()
beforeEach(async () => {
  relay = await TestRelay.open({ wallet: 10_000_000 })
  await relay.addChannel({ models: 'lab,other' })
})
afterEach(async () => {
  await relay.close()
})

type AuditRow = Readonly<Record<'action' | 'kind' | 'code' | 'details', string>>

interface Child {
  readonly id: number
  readonly key: string
  readonly remain_quota: number
  readonly expired_time: number
}

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown> & { readonly error?: { readonly message: string } }
}

async function send(
  key: string,
  path: string,
  { method = 'GET', body }: { method?: string; body?: object } = {},
) {
  const headers = { authorization: `Bearer ${key}` }
  const response = body
    ? await relay.request(path, '', body, headers)
    : await relay.handle(new Request(`http://gateway.test${path}`, { method, headers }))
  return { status: response.status, body: await response.json() } as Reply
}
const create = (parent: string, draft: object = {}) => send(`sk-${parent}`, PATH, { body: draft })
const created = async (parent: string, draft: object = {}) => {
  const { status, body } = await create(parent, draft)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as unknown as Child
}
const chat = (key: string, body: object = BODY) => send(key, CHAT, { body })
const statusOf = async (key: string, body?: object) => (await chat(key, body)).status

const unitsOf = async (name: string) =>
  (
    await relay.db
      .selectFrom('tokens')
      .select('remain_quota')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
  ).remain_quota
const change = (columns: object) =>
  relay.db.updateTable('tokens').set(columns).where('name', '=', 'key').execute()
const driftOf = async () => (await auditLedger(relay.db)).drift

describe('a child token', () => {
  test('calls models, is listed, and ends when its parent says so', async () => {
    const parent = await relay.addToken({ remain: 500_000 })
    const child = await created(parent, { name: 'agent', remain_quota: 100_000 })
    expect(child.key).toMatch(/^ck-tlgt[0-9A-Za-z]{44}$/)
    expect(await statusOf(child.key)).toBe(200)
    const { body } = await send(`sk-${parent}`, PATH)
    expect(body).toMatchObject({ object: 'list', data: [{ id: child.id, name: 'agent' }] })
    expect(JSON.stringify(body)).not.toContain(child.key)
    expect((await send(`sk-${parent}`, `${PATH}/${child.id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await statusOf(child.key)).toBe(401)
    expect((await send(`sk-${parent}`, `${PATH}/${child.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  test('is stored so that its key is worth nothing without its parent', async () => {
    const parent = await relay.addToken()
    const { key } = await created(parent)
    expect(JSON.stringify(await relay.db.selectFrom('tokens').selectAll().execute())).not.toContain(key)
    for (const other of [`sk-${key}`, key.replace('ck-', 'sk-'), key.replace('ck-', '')])
      expect(await statusOf(other)).toBe(401)
  })

  test('leaves a row in the audit log when it is made and when it ends, without its key', async () => {
    const parent = await relay.addToken()
    const child = await created(parent, { name: 'agent' })
    await send(`sk-${parent}`, `${PATH}/${child.id}`, { method: 'DELETE' })
    await send(`sk-${parent}`, `${PATH}/${child.id}`, { method: 'DELETE' })
    const { rows } = await sql<AuditRow>`select action, kind, code, details from audit_log
      where credential = 'token' order by id`.execute(relay.db)
    const actions = rows.map(({ action, kind, code }) => ({ action, kind, code }))
    expect(actions).toEqual([
      { action: `POST ${PATH}`, kind: 'token', code: '' },
      { action: `DELETE ${PATH}`, kind: 'token', code: '' },
    ])
    for (const { details } of rows) expect(JSON.parse(details).input).toMatchObject({ parent: 'key' })
    expect(Object.keys(JSON.parse(rows[1]?.details ?? '').after)).toEqual([String(child.id)])
    expect(JSON.stringify(rows)).not.toContain(child.key.slice(8))
    expect(JSON.stringify(rows)).not.toContain(parent)
  })

  test('creates no children, and reaches no sibling', async () => {
    const parent = await relay.addToken()
    const [first, second] = [await created(parent), await created(parent)]
    expect((await send(first.key, PATH, { body: {} })).status).toBe(400)
    expect((await send(first.key, `${PATH}/${second.id}`, { method: 'DELETE' })).status).toBe(404)
    const other = await relay.addToken()
    expect((await send(`sk-${other}`, `${PATH}/${second.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  test.each([
    [{ remain_quota: 0 }, 'remain_quota'],
    [{ remain_quota: 1.5 }, 'remain_quota'],
    [{ expires_in: 0 }, 'expires_in'],
    [{ expires_in: 31 * 86_400 }, 'expires_in'],
    [{ allow_ips: 'nonsense' }, 'allow_ips'],
    [{ group: 'vip' }, 'body'],
    [{ unlimited_quota: true }, 'body'],
    [{ name: '' }, 'name'],
  ])('is refused as %j', async (draft, field) => {
    const { status, body } = await create(await relay.addToken(), draft)
    expect(status).toBe(400)
    expect(body.error?.message).toContain(field)
  })

  test('has at most a hundred siblings', async () => {
    const parent = await relay.addToken()
    for (let count = 0; count < 100; count += 1) await created(parent)
    expect((await create(parent)).status).toBe(429)
  })
})

describe('money', () => {
  test('leaves the limit of the parent, and the rest goes back once', async () => {
    const parent = await relay.addToken({ remain: 500_000 })
    const child = await created(parent, { name: 'agent', remain_quota: 100_000 })
    expect([await unitsOf('key'), await unitsOf('agent')]).toEqual([400_000, 100_000])
    await chat(child.key)
    const left = await unitsOf('agent')
    expect(left).toBeLessThan(100_000)
    await send(`sk-${parent}`, `${PATH}/${child.id}`, { method: 'DELETE' })
    expect([await unitsOf('key'), await unitsOf('agent')]).toEqual([400_000 + left, 0])
    expect(await endChildren(relay.db)).toBe(0)
    expect(await unitsOf('key')).toBe(400_000 + left)
    expect(await driftOf()).toBe(0)
  })

  test('never exceeds what the parent has, also when many are made at once', async () => {
    const parent = await relay.addToken({ remain: 250_000 })
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => create(parent, { remain_quota: 100_000 })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403])
    expect(await unitsOf('key')).toBe(50_000)
    const rejected = await create(parent, { remain_quota: 1_000_000 })
    expect(rejected.body.error?.message).toContain('$2.000000 is needed')
    expect((await create(parent)).body.error?.message).toContain('remain_quota')
    expect(await driftOf()).toBe(0)
  })

  test('of a child that is spent is no longer the money of others', async () => {
    const parent = await relay.addToken({ remain: 500_000 })
    const child = await created(parent, { name: 'agent', remain_quota: 1 })
    expect(await statusOf(child.key)).toBe(403)
    expect(await statusOf(`sk-${parent}`)).toBe(200)
  })

  test('of a parent without a quota is the wallet, within the quota of the child', async () => {
    const parent = await relay.addToken()
    const limited = await created(parent, { name: 'agent', remain_quota: 100_000 })
    expect(await statusOf(limited.key)).toBe(200)
    expect(await statusOf((await created(parent)).key)).toBe(200)
    await send(`sk-${parent}`, `${PATH}/${limited.id}`, { method: 'DELETE' })
    expect(await unitsOf('key')).toBe(0)
    expect(await driftOf()).toBe(0)
  })

  test('that the owner has given to a child since stays with it', async () => {
    const parent = await relay.addToken({ remain: 500_000 })
    const child = await created(parent, { name: 'agent', remain_quota: 100_000 })
    await relay.db.updateTable('tokens').set({ remain_quota: 300_000 }).where('id', '=', child.id).execute()
    await send(`sk-${parent}`, `${PATH}/${child.id}`, { method: 'DELETE' })
    expect([await unitsOf('key'), await unitsOf('agent')]).toEqual([500_000, 200_000])
  })

  test('waits for what is in progress', async () => {
    const parent = await relay.addToken({ remain: 500_000 })
    const child = await created(parent, { name: 'agent', remain_quota: 100_000 })
    const hold = { request_id: 'r', user_id: relay.userId, token_id: child.id, amount: 10 }
    const open = { ...hold, is_token_limited: 1, process_id: 'test', opened_at: 1 } as const
    await relay.db.insertInto('holds').values(open).execute()
    await relay.db.updateTable('tokens').set({ deleted_at: 5 }).where('id', '=', child.id).execute()
    expect(await endChildren(relay.db)).toBe(0)
    expect(await unitsOf('key')).toBe(400_000)
    await relay.db.deleteFrom('holds').execute()
    expect(await endChildren(relay.db)).toBe(1)
    expect(await unitsOf('key')).toBe(500_000)
  })
})

describe('the limits of the parent', () => {
  test.each([
    { name: 'is disabled', columns: { status: 2 } },
    { name: 'is deleted', columns: { deleted_at: 5 } },
    { name: 'has expired', columns: { expired_time: 5 } },
    { name: 'may be used from elsewhere only', columns: { allow_ips: '203.0.113.9' } },
    { name: 'has a quota now', columns: { unlimited_quota: 0, remain_quota: 5 } },
  ])('end the child with the next request when it $name', async ({ columns }) => {
    const parent = await relay.addToken()
    const { key } = await created(parent)
    expect(await statusOf(key)).toBe(200)
    await change(columns)
    expect([401, 403]).toContain(await statusOf(key))
  })

  test('end all children for good when the parent ends', async () => {
    const parent = await relay.addToken({ remain: 500_000 })
    const child = await created(parent, { name: 'agent', remain_quota: 100_000 })
    await change({ status: 2 })
    expect(await endChildren(relay.db)).toBe(1)
    await change({ status: 1 })
    expect(await statusOf(child.key)).toBe(401)
    expect(await unitsOf('key')).toBe(500_000)
  })

  test('bound its models at each request', async () => {
    const parent = await relay.addToken({ columns: { model_limits_enabled: 1, model_limits: 'lab,other' } })
    expect((await create(parent, { model_limits: ['lab', 'third'] })).status).toBe(400)
    const [one, all] = [await created(parent, { model_limits: ['lab'] }), await created(parent)]
    const other = { ...BODY, model: 'other' }
    expect([await statusOf(one.key), await statusOf(one.key, other)]).toEqual([200, 403])
    await change({ model_limits: 'other' })
    expect([await statusOf(one.key), await statusOf(all.key)]).toEqual([403, 403])
  })

  test('bound its time', async () => {
    const parent = await relay.addToken()
    const child = await created(parent, { expires_in: 60 })
    const soon = Math.floor(Date.now() / 1000) + 30
    await change({ expired_time: soon })
    expect((await created(parent, { expires_in: 3600 })).expired_time).toBe(soon)
    await change({ expired_time: -1 })
    expect(await statusOf(child.key)).toBe(200)
    time.skippedMs = 61_000
    expect(await statusOf(child.key)).toBe(401)
  })

  test('are addresses of both', async () => {
    const parent = await relay.addToken()
    expect(await statusOf((await created(parent, { allow_ips: '192.0.2.1' })).key)).toBe(200)
    expect(await statusOf((await created(parent, { allow_ips: '203.0.113.9' })).key)).toBe(403)
  })

  test('are one rate for all children and the parent', async () => {
    const parent = await relay.addToken({ columns: { requests_per_minute: 3 } })
    const [one, two] = [await created(parent), await created(parent)]
    expect(await statusOf(one.key)).toBe(200)
    expect(await statusOf(two.key)).toBe(200)
    expect(await statusOf(`sk-${parent}`)).toBe(200)
    expect(await statusOf(one.key)).toBe(429)
  })

  test('are the strictest of both', async () => {
    const parent = await relay.addToken({ columns: { service_tier: 'forbid' } })
    const { key } = await created(parent, { service_tier: 'allow' })
    expect(await statusOf(key, { ...BODY, service_tier: 'priority' })).toBe(400)
  })
})

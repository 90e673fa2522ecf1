import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { createToken } from '#contract/entities/token.ts'
import { resetAccessTokenByPost } from '#contract/entities/user.ts'
import { putOptions } from '#contract/options/options.ts'
import { loadRoutes, openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listAuditLog } from '../contract/audit-log.ts'
import { listAuditRows } from './queries.ts'

const nameOf = ({ method, path }: AnyEndpoint) => `${method} ${path}`
const endpoints = (await loadRoutes()).map(({ endpoint }) => endpoint)
const audited = endpoints.filter(
  ({ method, audit = method === 'GET' ? 'none' : 'success' }) => audit !== 'none',
)

/** Secrets that the calls below send or that are stored, all of them with this part. */
const SEED = 'seeded'
const ANY = {
  actor: '',
  kind: '',
  target: '',
  action: '',
  search: '',
  start_timestamp: 0,
  end_timestamp: 0,
}

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  await app.root.call(putOptions, { body: { key: 'OrganizationCreators', value: 'everybody' } })
})
afterAll(() => app.close())

const newestRows = () => listAuditRows(app.db, ANY, { limit: 10_000 })

let made = 0
const PLAN = { name: 'Pro', price: 5, windows: [{ period: 'day', amount: 9 }] }
/** A user with one object of each kind, all of them with secrets. */
async function openFixture() {
  made += 1
  const user = await app.addUser({ username: `user-${made}`, quota: 5_000_000 })
  const tag = `tag-${made}`
  const { id: tokenId } = (await user.call(createToken, { body: { name: 'token', unlimited_quota: true } }))
    .data
  const channel = { type: 1, name: tag, key: `${SEED}-key-${made}`, models: 'm', group: 'default', tag }
  const [created] = (await send(app.root, 'POST /api/channel/', { body: channel })).data as { id: number }[]
  const codes = await send(app.root, 'POST /api/redemption/', { body: { name: tag, quota: 1, count: 1 } })
  const budget = await send(user, 'POST /api/budget/', {
    body: { subject: 'token', subject_id: tokenId, amount: 5 },
  })
  const plan = await send(app.root, 'POST /api/plan/', { body: PLAN })
  const planId = Number(plan.data.id)
  const sold = await send(app.root, 'POST /api/plan/', { body: { ...PLAN, name: 'Sold' } })
  const planCodes = await send(app.root, 'POST /api/plan/:id/codes', { id: Number(sold.data.id) })
  const spare = await send(app.root, 'POST /api/plan/', { body: { ...PLAN, price: 7 } })
  const subscription = await send(user, 'POST /api/subscription/', { body: { plan_id: planId } })
  const owner = await app.addUser({ username: `owner-${made}` })
  const organization = await openOrganization(owner, tag)
  const { id: redemptionId } = await app.db
    .selectFrom('redemptions')
    .select('id')
    .where('name', '=', tag)
    .executeTakeFirstOrThrow()
  return {
    user,
    tokenId,
    budgetId: Number(budget.data.id),
    planId,
    soldPlanId: Number(sold.data.id),
    planCode: (planCodes.data as string[])[0] ?? '',
    sparePlanId: Number(spare.data.id),
    subscriptionId: Number(subscription.data.id),
    tag,
    owner,
    organization,
    channelId: created?.id ?? 0,
    redemptionId,
    code: (codes.data as string[])[0] ?? '',
  }
}

async function openOrganization(user: TestClient, name: string) {
  const { id } = (await send(user, 'POST /api/organization/', { body: { name } })).data
  const people = [{ name: 'Cora' }]
  const invited = await send(user, 'POST /api/organization/members', { organization: id, body: { people } })
  const project = await send(user, 'POST /api/organization/projects', { organization: id, body: { name } })
  const { id: memberId, invitation } = invited.data[0]
  return { id: Number(id), memberId: Number(memberId), projectId: Number(project.data.id), invitation }
}
type Fixture = Awaited<ReturnType<typeof openFixture>>

interface CallRequest {
  /** Values of the path. */
  readonly id?: number
  readonly organization?: number
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

async function send(
  client: TestClient,
  name: string,
  { id = 0, organization, query = {}, body }: CallRequest,
) {
  const [method = '', path = ''] = name.split(' ')
  const search = new URLSearchParams(query)
  const response = await client.fetch(`${path.replace(':id', String(id))}?${search}`, {
    method,
    ...(organization && { headers: { 'x-tollgate-organization': String(organization) } }),
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  const text = await response.text()
  return text.startsWith('{') ? JSON.parse(text) : { success: response.ok }
}

type Call = (fixture: Fixture) => CallRequest & { readonly by: TestClient }
const password = `${SEED}-pass`
/** Of the users of a test app. */
const PASSWORD = 'a good password'

/** One call of each endpoint that changes records of a kind and can succeed without an outside party. */
const CALLS: Readonly<Record<string, Call>> = {
  'POST /api/user/': () => ({ by: app.root, body: { username: `made-${made}`, password } }),
  'PUT /api/user/': ({ user: { id } }) => ({
    by: app.root,
    body: { id, display_name: 'New', password, quota: 7, reason: 'gift' },
  }),
  'PUT /api/user/batch': ({ user: { id } }) => ({
    by: app.root,
    body: { ids: [id], change: { group: 'vip' } },
  }),
  'PUT /api/user/matching': () => ({
    by: app.root,
    body: { filter: { keyword: `user-${made}` }, count: 1, change: { group: 'vip' } },
  }),
  'POST /api/user/manage': ({ user: { id } }) => ({ by: app.root, body: { id, action: 'promote' } }),
  'DELETE /api/user/:id': ({ user: { id } }) => ({ by: app.root, id }),
  'PUT /api/user/self': ({ user }) => ({
    by: user,
    body: { display_name: 'Me', password, original_password: PASSWORD },
  }),
  'DELETE /api/user/self': ({ user }) => ({ by: user, body: { username: `user-${made}` } }),
  'GET /api/user/token': ({ user }) => ({ by: user }),
  'POST /api/user/token': ({ user }) => ({ by: user }),
  'POST /api/user/access_tokens': ({ user }) => ({ by: user, body: { name: 'ci', scopes: ['*:read'] } }),
  'POST /api/user/register': () => ({ by: app.visitor, body: { username: `reg-${made}`, password } }),
  'PUT /api/user/setting': ({ user }) => ({
    by: user,
    body: {
      notify_type: 'webhook',
      quota_warning_threshold: 5,
      webhook_url: `https://me:${SEED}@hooks.example/x`,
      webhook_secret: `${SEED}-hook`,
    },
  }),
  'POST /api/token/': ({ user }) => ({ by: user, body: { name: 'other', unlimited_quota: true } }),
  'PUT /api/token/': ({ user, tokenId: id }) => ({ by: user, body: { id, name: 'renamed' } }),
  'PUT /api/token/all': ({ tokenId }) => ({ by: app.root, body: { ids: [tokenId], status: 2 } }),
  'POST /api/token/:id/rotate': ({ user, tokenId: id }) => ({ by: user, id }),
  'DELETE /api/token/:id': ({ user, tokenId: id }) => ({ by: user, id }),
  'POST /api/budget/': ({ user, tokenId }) => ({
    by: user,
    body: { subject: 'token', subject_id: tokenId, amount: 7 },
  }),
  'PUT /api/budget/:id': ({ user, budgetId: id }) => ({ by: user, id, body: { amount: 9 } }),
  'DELETE /api/budget/:id': ({ user, budgetId: id }) => ({ by: user, id }),
  'POST /api/plan/': () => ({ by: app.root, body: PLAN }),
  'PUT /api/plan/:id': ({ planId: id }) => ({ by: app.root, id, body: { ...PLAN, price: 6 } }),
  'DELETE /api/plan/:id': ({ sparePlanId: id }) => ({ by: app.root, id }),
  'POST /api/plan/:id/codes': ({ planId: id }) => ({ by: app.root, id, body: { count: 2 } }),
  'DELETE /api/plan/:id/codes': ({ soldPlanId: id }) => ({ by: app.root, id }),
  'POST /api/subscription/order': ({ user, sparePlanId }) => ({ by: user, body: { plan_id: sparePlanId } }),
  'POST /api/subscription/redeem': ({ user, planCode }) => ({ by: user, body: { code: planCode } }),
  'POST /api/subscription/': ({ user, sparePlanId }) => ({ by: user, body: { plan_id: sparePlanId } }),
  'POST /api/subscription/:id/steer': ({ user, subscriptionId: id }) => ({
    by: user,
    id,
    body: { step: 'pause' },
  }),
  'POST /api/subscription/:id/plan': ({ user, subscriptionId: id, sparePlanId }) => ({
    by: user,
    id,
    body: { plan_id: sparePlanId },
  }),
  'POST /api/subscription/:id/end': ({ subscriptionId: id }) => ({ by: app.root, id, body: {} }),
  'PUT /api/token/batch': ({ user, tokenId }) => ({ by: user, body: { ids: [tokenId], status: 2 } }),
  'POST /api/token/batch': ({ user, tokenId }) => ({ by: user, body: { ids: [tokenId] } }),
  'PUT /api/token/matching': ({ user }) => ({ by: user, body: { filter: {}, count: 1, status: 2 } }),
  'POST /api/token/matching': ({ user }) => ({ by: user, body: { filter: {}, count: 1 } }),
  'POST /api/organization/': ({ owner, tag }) => ({ by: owner, body: { name: `${tag} 2` } }),
  'PUT /api/organization/': ({ owner, organization: { id } }) => ({
    by: owner,
    organization: id,
    body: { name: 'Renamed' },
  }),
  'DELETE /api/organization/': ({ owner, organization: { id } }) => ({ by: owner, organization: id }),
  'POST /api/organization/:id/owner': ({ organization: { id } }) => ({
    by: app.root,
    id,
    body: { user_id: app.root.id },
  }),
  'POST /api/organization/join': ({ organization: { invitation } }) => ({
    by: app.root,
    body: { invitation },
  }),
  'POST /api/organization/members': ({ owner, organization: { id } }) => ({
    by: owner,
    organization: id,
    body: { people: [{ name: 'Dan' }], has_token: true, monthly_quota: 5 },
  }),
  'PUT /api/organization/members/:id': ({ owner, organization }) => ({
    by: owner,
    organization: organization.id,
    id: organization.memberId,
    body: { role: 'admin' },
  }),
  'DELETE /api/organization/members/:id': ({ owner, organization }) => ({
    by: owner,
    organization: organization.id,
    id: organization.memberId,
  }),
  'POST /api/organization/members/:id/invitation': ({ owner, organization }) => ({
    by: owner,
    organization: organization.id,
    id: organization.memberId,
  }),
  'POST /api/organization/members/:id/token': ({ owner, organization }) => ({
    by: owner,
    organization: organization.id,
    id: organization.memberId,
    body: { name: 'key' },
  }),
  'POST /api/organization/projects': ({ owner, organization: { id } }) => ({
    by: owner,
    organization: id,
    body: { name: 'Course' },
  }),
  'PUT /api/organization/projects/:id': ({ owner, organization }) => ({
    by: owner,
    organization: organization.id,
    id: organization.projectId,
    body: { is_closed: true },
  }),
  'POST /api/organization/projects/:id/token': ({ owner, organization }) => ({
    by: owner,
    organization: organization.id,
    id: organization.projectId,
    body: { name: 'key' },
  }),
  'POST /api/channel/': ({ tag }) => ({
    by: app.root,
    body: { type: 1, name: 'new', key: `${SEED}-a\n${SEED}-b`, models: 'm', group: 'default', tag },
  }),
  'PUT /api/channel/': ({ channelId: id }) => ({
    by: app.root,
    body: { id, name: 'renamed', key: `${SEED}-new`, setting: `{"proxy":"http://me:${SEED}@proxy.example"}` },
  }),
  'PUT /api/channel/batch': ({ channelId }) => ({ by: app.root, body: { ids: [channelId], status: 2 } }),
  'PUT /api/channel/matching': ({ tag }) => ({
    by: app.root,
    body: { filter: { keyword: tag }, count: 1, status: 2 },
  }),
  'POST /api/channel/matching': ({ tag }) => ({ by: app.root, body: { filter: { keyword: tag }, count: 1 } }),
  'DELETE /api/channel/:id': ({ channelId: id }) => ({ by: app.root, id }),
  'POST /api/channel/batch': ({ channelId }) => ({ by: app.root, body: { ids: [channelId] } }),
  'POST /api/channel/batch/tag': ({ channelId }) => ({ by: app.root, body: { ids: [channelId], tag: 'x' } }),
  'PUT /api/channel/tag': ({ tag }) => ({ by: app.root, body: { tag, new_tag: `${tag}-2`, priority: 5 } }),
  'POST /api/channel/tag/disabled': ({ tag }) => ({ by: app.root, body: { tag } }),
  'POST /api/redemption/': ({ tag: name }) => ({ by: app.root, body: { name, quota: 1, count: 2 } }),
  'PUT /api/redemption/': ({ redemptionId: id }) => ({
    by: app.root,
    body: { id, name: 'renamed', quota: 2 },
  }),
  'DELETE /api/redemption/:id': ({ redemptionId: id }) => ({ by: app.root, id }),
  'PUT /api/redemption/batch': ({ redemptionId }) => ({
    by: app.root,
    body: { ids: [redemptionId], status: 2 },
  }),
  'POST /api/redemption/batch': ({ redemptionId }) => ({ by: app.root, body: { ids: [redemptionId] } }),
  'PUT /api/redemption/matching': ({ tag: keyword }) => ({
    by: app.root,
    body: { filter: { keyword }, count: 1, status: 2 },
  }),
  'POST /api/redemption/matching': ({ tag: keyword }) => ({
    by: app.root,
    body: { filter: { keyword }, count: 1 },
  }),
  'PUT /api/option/': () => ({
    by: app.root,
    body: [
      { key: 'ModelPrice', value: `{"model-${made}":1}` },
      { key: 'SMTPToken', value: `${SEED}-${made}` },
    ],
  }),
  'POST /api/option/rest_model_ratio': () => ({ by: app.root }),
}

/** Need an identity provider, a mail, a price feed, or records in a state that only the relay makes. */
const NOT_CALLED = [
  'DELETE /api/channel/disabled',
  'DELETE /api/oauth/openid/:slug',
  'DELETE /api/oauth/openid/:slug/scim-token',
  'DELETE /api/user/:id/access_tokens/:token',
  'DELETE /api/user/:id/factors',
  'DELETE /api/user/:id/identities/:slug',
  'DELETE /api/oauth/openid/self/:slug',
  'DELETE /api/user/:id/sessions',
  'DELETE /api/user/:id/sessions/:session',
  'DELETE /api/user/factor/:id',
  'POST /api/oauth/openid/:slug/scim-token',
  'GET /api/channel/update_balance/:id',
  'GET /api/oauth/email/bind',
  'GET /api/oauth/github',
  'GET /api/oauth/linuxdo',
  'GET /api/oauth/telegram/bind',
  'GET /api/oauth/telegram/login',
  'GET /api/oauth/wechat',
  'GET /api/oauth/wechat/bind',
  'POST /api/channel/:id/allowed_models',
  'POST /api/channel/tag/enabled',
  'POST /api/channel/update_balance/:id',
  'POST /api/oauth/email/bind',
  'POST /api/oauth/telegram/bind',
  'POST /api/oauth/openid/',
  'POST /api/oauth/openid/:slug/finish',
  'POST /api/oauth/unbind',
  'POST /api/oauth/wechat/bind',
  'POST /api/organization/leave',
  'POST /api/price_update/approve',
  'POST /api/price_update/undo',
  'POST /api/token/keys',
  'POST /api/user/aff_transfer',
  'POST /api/user/factor/passkey',
  'POST /api/user/factor/sign-in',
  'POST /api/user/factor/totp',
  'POST /api/user/factor/totp/confirm',
  'POST /api/user/login',
  'POST /api/user/reset',
  'POST /api/user/topup',
  'PUT /api/oauth/openid/:slug',
]

/** Change nothing that a record of the log could show: they send, start, measure, or keep something of their own. */
const WITHOUT_RECORDS = [
  'DELETE /api/log/',
  'DELETE /api/reconciliation/:id',
  'POST /api/channel/fix',
  'POST /api/channel/test',
  'POST /api/channel/test/:id',
  'POST /api/channel/test/unsaved',
  'POST /api/channel/update_balance',
  'POST /api/channel/usage_probe/:id',
  'POST /api/device/approve',
  'POST /api/device/deny',
  'POST /api/log/:id/link',
  'POST /api/log/self/:id/link',
  'POST /api/oauth/openid/:slug/start',
  'POST /api/oauth/openid/:slug/test',
  'POST /api/option/backups',
  'POST /api/option/test_mail',
  'POST /api/price_update/pin',
  'POST /api/price_update/read',
  'POST /api/reconciliation/',
  'POST /api/reconciliation/balance',
  'POST /api/reconciliation/readings/:id',
  'POST /api/reprice/',
  'POST /api/reprice/cancel',
  'POST /api/token/find',
  'POST /api/user/:id/bill/link',
  'POST /api/user/bill/link',
  'POST /api/user/factor/confirm',
  'POST /api/user/factor/recovery',
  'POST /api/user/logout',
  'POST /api/user/pay',
  'POST /api/user/reauthenticate',
  'POST /api/user/reauthenticate/code',
  'POST /api/user/setting/test',
]

describe('the contract', () => {
  test('every call that changes something says which records, or is known to change none', () => {
    const withRecords = audited.filter(({ changes }) => changes !== undefined).map(nameOf)
    expect(withRecords.sort()).toEqual([...Object.keys(CALLS), ...NOT_CALLED].sort())
    const without = audited.filter(({ method, changes }) => method !== 'GET' && changes === undefined)
    expect(without.map(nameOf).sort()).toEqual(WITHOUT_RECORDS)
  })

  test('exports, sign-ins, sign-outs and shown keys are recorded although they change nothing', () => {
    const reads = audited.filter(({ method, changes }) => method === 'GET' && changes === undefined)
    expect(reads.map(nameOf).sort()).toEqual([
      'GET /api/analytics/export',
      'GET /api/analytics/self/export',
      'GET /api/audit/export',
      'GET /api/channel/test',
      'GET /api/channel/test/:id',
      'GET /api/channel/update_balance',
      'GET /api/focus/export',
      'GET /api/focus/self/export',
      'GET /api/log/export',
      'GET /api/log/self/export',
      'GET /api/reconciliation/:id/export',
      'GET /api/reset_password',
      'GET /api/user/logout',
    ])
  })
})

test.each(Object.entries(CALLS))(
  '%s leaves one row with before and after, and no secret',
  async (name, call) => {
    const fixture = await openFixture()
    const former = (await newestRows()).length
    const { by, ...sent } = call(fixture)
    expect(await send(by, name, sent)).toMatchObject({ success: true })
    const rows = await newestRows()
    expect(rows).toHaveLength(former + 1)
    const row = rows[0]
    expect(row).toMatchObject({ action: name, code: '', address: '127.0.0.1' })
    if (by.id !== 0) expect(row).toMatchObject({ actor_id: by.id, credential: 'session' })
    const details = JSON.parse(row?.details ?? '')
    if (name !== 'POST /api/redemption/' && name !== 'POST /api/option/rest_model_ratio')
      expect(Object.keys(details.after).length).toBeGreaterThan(0)
    expect(Object.keys(details.before)).toEqual(Object.keys(details.after))
    expect(JSON.stringify(row)).not.toContain(SEED)
    expect(JSON.stringify(row)).not.toContain(fixture.code)
  },
)

describe('rows', () => {
  const rowsOf = async (query: Partial<Record<keyof typeof ANY, string>>) =>
    (await app.root.call(listAuditLog, { query })).data.items

  test('tell who changed a price, from what to what', async () => {
    const price = (value: string) => app.root.call(putOptions, { body: { key: 'ModelPrice', value } })
    await price('{"a":1,"b":2}')
    await price('{"a":1,"b":3}')
    expect((await rowsOf({ kind: 'option', target: 'ModelPrice' }))[0]).toMatchObject({
      actor_name: 'root',
      before: { ModelPrice: { value: { b: 2 } } },
      after: { ModelPrice: { value: { b: 3 } } },
    })
  })

  test('tell what differs far behind in a large table and in a long text', async () => {
    const prices = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`many-${index}`, 1]))
    const price = (value: object) =>
      app.root.call(putOptions, { body: { key: 'ModelPrice', value: JSON.stringify(value) } })
    await price(prices)
    await price({ ...prices, 'many-1499': 2 })
    expect((await rowsOf({ kind: 'option', target: 'ModelPrice' }))[0]).toMatchObject({
      before: { ModelPrice: { value: { 'many-1499': 1 } } },
      after: { ModelPrice: { value: { 'many-1499': 2 } } },
    })
    const { channelId } = await openFixture()
    const models = (last: string) =>
      ['m', 'n', 'o']
        .map(letter => letter.repeat(240))
        .concat(last)
        .join()
    await send(app.root, 'PUT /api/channel/', { body: { id: channelId, models: models('x') } })
    await send(app.root, 'PUT /api/channel/', { body: { id: channelId, models: models('y') } })
    const [row] = await rowsOf({ kind: 'channel', target: String(channelId) })
    expect(Object.keys(row?.after ?? {})).toEqual([String(channelId)])
  })

  test('tell failed sign-ins by the name that was tried, and who signed in', async () => {
    const { user } = await openFixture()
    const username = `user-${made}`
    await app.visitor.call(login, { body: { username, password: `${SEED}-wrong` } })
    await app.visitor.call(login, { body: { username, password: PASSWORD } })
    const rows = await rowsOf({ action: 'POST /api/user/login', search: username })
    expect(rows[0]).toMatchObject({ actor_id: user.id, actor_name: username, credential: 'none', code: '' })
    expect(rows[1]).toMatchObject({
      actor_id: 0,
      code: 'session.wrong',
      input: { username, password: '***' },
    })
  })

  test('tell with what a call was made', async () => {
    const { user } = await openFixture()
    const { data: token } = await user.call(resetAccessTokenByPost)
    const headers = { authorization: `Bearer ${token}`, 'new-api-user': String(user.id) }
    await app.visitor.call(createToken, { body: { name: 'by program', unlimited_quota: true }, headers })
    expect((await rowsOf({ actor: String(user.id) }))[0]).toMatchObject({ credential: 'access-token' })
  })

  test('tell that a secret changed, and not from what to what', async () => {
    const { channelId } = await openFixture()
    await send(app.root, 'PUT /api/channel/', { body: { id: channelId, key: `${SEED}-other` } })
    const [row] = await rowsOf({ kind: 'channel', target: String(channelId) })
    expect(row?.after).toEqual({ [channelId]: { key_hash: expect.stringMatching(/^secret [0-9a-f]{8}$/) } })
    expect(row?.input).toEqual({ id: channelId, key: '***' })
  })

  test('leave out calls that failed without a change, and visitors who sign out of nothing', async () => {
    const former = (await newestRows()).length
    await send(app.root, 'DELETE /api/channel/:id', { id: 999_999 })
    await send(app.visitor, 'POST /api/user/logout', {})
    expect(await newestRows()).toHaveLength(former)
  })

  test('are exported with their hashes', async () => {
    const csv = await (await app.root.fetch('/api/audit/export?kind=option')).text()
    expect(csv).toContain('id,created_at,actor_id,actor_name')
    expect(csv).toContain('ModelPrice')
    expect(csv).not.toContain('POST /api/channel/')
  })
})

/** Sound like secrets, and are none: names and settings. */
const PLAIN_FIELDS = [
  'aff_code',
  'has_token',
  'key',
  'max_input_tokens',
  'not_token_name',
  'status_code_mapping',
  'tag_key',
  'token_name',
  'top_up_code',
]

interface JsonSchema {
  readonly format?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

function plainFields(schema: z.ZodType, name: RegExp): readonly string[] {
  const found: string[] = []
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties = {} }: JsonSchema = value
    for (const [field, { format }] of Object.entries(properties))
      if (name.test(field) && format !== 'password') found.push(field)
    for (const part of Object.values(value)) search(part)
  }
  search(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }))
  return found
}

test('the contract says of every field that sounds like a secret whether it is one', () => {
  const SECRET = /password|secret|token|hash|code|(^|_)key$/i
  const plain = new Set(
    audited.flatMap(({ query, body }) => [query, body].flatMap(schema => plainFields(schema, SECRET))),
  )
  expect([...plain].sort()).toEqual(PLAIN_FIELDS)
})

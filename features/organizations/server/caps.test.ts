import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { inTransaction } from '#server/db/engine/database.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { asObject } from '#server/provider-kit/json.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { endMembers } from './queries/members.ts'
import { withOrganizationTables } from './tables.ts'

const MEMBER = 5
const PROJECT = 9
let relay: TestRelay
let gate: Promise<unknown>
let onUpstream: () => unknown
beforeEach(async () => {
  gate = Promise.resolve()
  onUpstream = () => undefined
  const lab = sendThrough(createLab().fetch)
  relay = await TestRelay.open({
    send: async (...call) => {
      onUpstream()
      await gate
      return lab(...call)
    },
  })
  await relay.addChannel()
})
afterEach(() => relay.close())

const REQUEST = { model: 'lab', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }

async function call(key: string, model = 'lab') {
  const response = await relay.request(
    '/v1/chat/completions',
    key,
    { ...REQUEST, model },
    { 'accept-language': 'en' },
  )
  const { error } = asObject(JSON.parse(await response.text()))
  return { status: response.status, message: String(asObject(error).message ?? '') }
}

/** So many requests a month. */
const allow = (kind: 'member' | 'project', id: number, amount: number) =>
  inTransaction(relay.db, tx =>
    relay.context.ledger
      .budgetRules()
      .put(tx, { kind, id, userId: relay.userId }, [{ name: '', unit: 'requests', amount, period: 'month' }]),
  )

const tokenOf = (member_id: number, project_id = 0) => relay.addToken({ columns: { member_id, project_id } })

describe('a cap', () => {
  test('bounds all tokens of a member together and names the member, and bounds nobody else', async () => {
    await allow('member', MEMBER, 1)
    const [one, two, other] = [await tokenOf(MEMBER), await tokenOf(MEMBER), await tokenOf(MEMBER + 1)]
    expect((await call(one)).status).toBe(200)
    const rejected = await call(two)
    expect(rejected.status).toBe(429)
    expect(rejected.message).toContain('budget of the member is 1 requests')
    expect((await call(other)).status).toBe(200)
  })

  test('of the project counts beside that of the member: the first that is used up rejects', async () => {
    await allow('member', MEMBER, 5)
    await allow('project', PROJECT, 1)
    const [ofProject, ofMember] = [await tokenOf(MEMBER, PROJECT), await tokenOf(MEMBER)]
    expect((await call(ofProject)).status).toBe(200)
    expect((await call(ofProject)).message).toContain('budget of the project is 1 requests')
    expect((await call(ofMember)).status).toBe(200)
  })

  test('holds for the child tokens of a member, too', async () => {
    await allow('member', MEMBER, 1)
    const parent = await tokenOf(MEMBER, PROJECT)
    const made = await relay.request('/v1/child_tokens', parent, { name: 'agent' })
    const child = String(asObject(JSON.parse(await made.text())).key)
    const response = await relay.request('/v1/chat/completions', '', REQUEST, {
      authorization: `Bearer ${child}`,
    })
    expect(response.status).toBe(200)
    await response.text()
    expect((await call(parent)).status).toBe(429)
    const rows = await relay.db.selectFrom('tokens').select(['member_id', 'project_id']).execute()
    expect(rows).toEqual([
      { member_id: MEMBER, project_id: PROJECT },
      { member_id: MEMBER, project_id: PROJECT },
    ])
  })

  test('below what is used rejects the next request, and a higher one lets it pass', async () => {
    await allow('member', MEMBER, 3)
    const key = await tokenOf(MEMBER)
    await call(key)
    await call(key)
    await allow('member', MEMBER, 1)
    expect((await call(key)).status).toBe(429)
    await allow('member', MEMBER, 3)
    expect((await call(key)).status).toBe(200)
  })
})

test('a cap below what is held lets the request in progress end and be charged, and admits no other', async () => {
  await allow('member', MEMBER, 3)
  const key = await tokenOf(MEMBER)
  const { promise, resolve: open } = Promise.withResolvers<void>()
  gate = promise
  const upstreamCalls = new Promise<void>(resolve => {
    let calls = 0
    onUpstream = () => ++calls === 2 && resolve()
  })
  const pending = [call(key), call(key)]
  await upstreamCalls
  await allow('member', MEMBER, 1)
  const rejected = await call(key)
  expect(rejected.status).toBe(429)
  expect(rejected.message).toContain('budget of the member is 1 requests: 2 requests are used or reserved')
  open()
  expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([200, 200])
  expect((await call(key)).message).toContain('2 requests are used or reserved')
  const windows = await relay.db
    .withTables<{ budget_windows: { used: number; held: number } }>()
    .selectFrom('budget_windows')
    .select(['used', 'held'])
    .execute()
  expect(windows).toEqual([{ used: 2, held: 0 }])
})

test('the group of the organisation decides models and price, whatever that of the member is', async () => {
  const organization = { kind: 'organization', group: 'vip' } as const
  await relay.db.updateTable('users').set(organization).where('id', '=', relay.userId).execute()
  await relay.addChannel({ models: 'other', group: 'default' })
  await relay.addChannel({ models: 'lab', group: 'vip' })
  const key = await tokenOf(MEMBER)
  expect((await call(key, 'other')).status).toBe(404)
  const chargedIn = async (group: string) => {
    await relay.db.updateTable('users').set({ group }).where('id', '=', relay.userId).execute()
    expect((await call(key)).status).toBe(200)
    return relay.db
      .selectFrom('logs')
      .select(['quota', 'group'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
  }
  const [ofVip, ofDefault] = [await chargedIn('vip'), await chargedIn('default')]
  expect([ofVip.group, ofDefault.group]).toEqual(['vip', 'default'])
  expect(ofVip.quota).toBe(Math.round(ofDefault.quota / 2))
})

test('a member who leaves with a request in progress pays for it, and makes no other', async () => {
  const { id } = await withOrganizationTables(relay.db)
    .insertInto('organization_members')
    .values({
      organization_id: relay.userId,
      user_id: 77,
      name: 'Ann',
      email: '',
      role: 'member',
      status: 'active',
      invitation_hash: null,
      invited_until: 0,
      created_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await allow('member', id, 5)
  const key = await tokenOf(id)
  const { promise, resolve: open } = Promise.withResolvers<void>()
  gate = promise
  const upstreamCall = new Promise<void>(resolve => {
    onUpstream = resolve
  })
  const pending = call(key)
  await upstreamCall
  const heldRows = () => relay.db.selectFrom('holds').select('request_id').execute()
  expect(await heldRows()).toHaveLength(1)
  await inTransaction(relay.db, tx => endMembers(tx, { id }, 1))
  expect((await call(key)).status).toBe(401)
  open()
  expect((await pending).status).toBe(200)
  expect(await heldRows()).toEqual([])
  const payer = await relay.db
    .selectFrom('users')
    .select(['held_quota', 'used_quota'])
    .where('id', '=', relay.userId)
    .executeTakeFirstOrThrow()
  expect(payer.held_quota).toBe(0)
  expect(payer.used_quota).toBeGreaterThan(0)
})

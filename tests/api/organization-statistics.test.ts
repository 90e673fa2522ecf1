import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createToken } from '#contract/entities/token.ts'
import { OWN_ANALYTICS_DIMENSIONS } from '#contract/enums.ts'
import {
  type AnalyticsQuery,
  exportSelfAnalytics,
  getAnalytics,
  getSelfAnalytics,
} from '#features/analytics/contract.ts'
import { createMemberToken, listMembers } from '#features/organizations/contract/members.ts'
import { createProject, createProjectToken } from '#features/organizations/contract/projects.ts'
import {
  allowOrganizations,
  openOrganization,
  type TestOrganization,
} from '#features/organizations/server/testing/organization.ts'
import { getSelfBill, getSelfStatement, getUserBill } from '#features/statements/contract.ts'
import { setClock } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { type Ledger, openLedger } from '#server/ledger/ledger.ts'
import { buildHoldRequest, LEDGER_OPTIONS } from '#server/ledger/testing.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'

const HOUR = 3600
/** A full hour. */
const NOW = 1_764_000_000
const SPAN = 60 * HOUR
const REQUESTS = 150
const FILTERS = 50
const MODELS = ['m0', 'm1', 'm2']
const PLANS = ['', 'Pro', 'Team']
const PROJECTS = ['', 'web', 'app']

/** A wallet's token, by whom and for what it is used. */
interface Spender {
  readonly userId: number
  readonly tokenId: number
  readonly member: string
  readonly project: string
}

let app: TestApp
let ledger: Ledger
let clock = NOW
const restore = setClock({ nowMs: () => clock * 1000, elapsedMs: () => performance.now() })
const engine = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite'

let anna: TestClient
let carl: TestClient
let acme: TestOrganization
let treasurer: Pick<TestClient, 'call' | 'fetch'>
let carlActing: Pick<TestClient, 'call' | 'fetch'>
/** Ids of members and projects of Acme, and of a member of another organisation. */
let ids: { readonly carl: number; readonly course: number; readonly stranger: number }

async function openSpenders(): Promise<Spender[]> {
  anna = await app.addUser({ username: 'anna', quota: 10_000_000 })
  carl = await app.addUser({ username: 'carl', quota: 10_000_000 })
  const bert = await app.addUser({ username: 'bert' })
  const dora = await app.addUser({ username: 'dora' })
  await allowOrganizations(app)
  acme = await openOrganization(app, anna, 'Acme')
  const beta = await openOrganization(app, bert, 'Beta secret')
  for (const organization of [acme, beta]) await organization.fund(10_000_000)
  carlActing = await acme.add(carl)
  treasurer = await acme.add(dora, 'billing')
  const members = async (of: TestOrganization) => (await of.owner.call(listMembers, {})).data.items
  const [stranger] = await members(beta)
  const found = (await members(acme)).find(({ username }) => username === 'carl')
  const course = await acme.owner.call(createProject, { body: { name: 'Course' } })
  ids = { carl: found?.id ?? 0, course: course.data.id, stranger: stranger?.id ?? 0 }
  const ofCarl = { params: { id: ids.carl }, body: { name: 'of carl' } }
  const ofCourse = { params: { id: ids.course }, body: { name: 'of the course', member_id: ids.carl } }
  const alone = { params: { id: ids.course }, body: { name: 'shared' } }
  const own = { body: { name: 'private secret', unlimited_quota: true } }
  const token = async (created: Promise<{ readonly data: { readonly id: number } }>) =>
    (await created).data.id
  const member = found?.name ?? ''
  return [
    {
      ...{ userId: acme.id, member, project: '' },
      tokenId: await token(acme.owner.call(createMemberToken, ofCarl)),
    },
    {
      ...{ userId: acme.id, member, project: 'Course' },
      tokenId: await token(acme.owner.call(createProjectToken, ofCourse)),
    },
    {
      ...{ userId: acme.id, member: '', project: 'Course' },
      tokenId: await token(acme.owner.call(createProjectToken, alone)),
    },
    {
      ...{ userId: beta.id, member: stranger?.name ?? '', project: '' },
      tokenId: await token(
        beta.owner.call(createMemberToken, { params: { id: ids.stranger }, body: { name: 'secret' } }),
      ),
    },
    {
      ...{ userId: carl.id, member: '', project: '' },
      tokenId: await token(carl.call(createToken, own)),
    },
  ]
}

interface SampleRequest {
  readonly spender: number
  readonly ago: number
  readonly units: number
  readonly model: string
  readonly plan: string
  /** Value of the tag `project`; empty: none. */
  readonly tag: string
  readonly isFailed: boolean
}

const someRequest: fc.Arbitrary<SampleRequest> = fc.record({
  spender: fc.integer({ min: 0, max: 4 }),
  ago: fc.integer({ min: 1, max: SPAN }),
  units: fc.integer({ min: 1, max: 5000 }),
  model: fc.constantFrom(...MODELS),
  plan: fc.constantFrom(...PLANS),
  tag: fc.constantFrom(...PROJECTS),
  isFailed: fc.boolean(),
})

async function record({ ago, units, model, plan, tag, isFailed }: SampleRequest, spender: Spender) {
  clock = NOW - ago
  const paidBy = plan === '' ? {} : { paidBy: { subscriptionId: PLANS.indexOf(plan), plan } }
  const { userId, tokenId } = spender
  const request = { ...buildHoldRequest(userId, units), requestId: newRequestId(), userId, tokenId }
  const tagged = { request_id: request.requestId, key: 'project', value: tag, created_at: clock }
  if (tag !== '') await app.db.insertInto('request_tags').values(tagged).execute()
  const hold = await ledger.reserve({ ...request, ...paidBy })
  const entry = {
    ...{ username: '', tokenName: '', modelName: model, channelId: 1, group: 'default' },
    ...{ promptTokens: 10, completionTokens: 5, useTimeSeconds: 2, isStream: true, content: '' },
  }
  const receipt = {
    ...{ use_ms: 100, dialect: 'openai', attempts: [] },
    ...(plan !== '' && { paid_by: { plan, subscription_id: 1 } }),
  }
  if (isFailed) await ledger.release(hold, { entry, receipt: { ...receipt, status: 503, code: 'x' } })
  else await ledger.settle(hold, { amount: quota(units), entry, receipt })
}

beforeAll(async () => {
  app = await openTestApp()
  ledger = openLedger({ db: app.db, engine, log: noopLogger, processId: 'p', options: () => LEDGER_OPTIONS })
  const spenders = await openSpenders()
  for (const request of fc.sample(someRequest, { numRuns: REQUESTS, seed: 11 })) {
    const spender = spenders[request.spender]
    if (spender) await record(request, spender)
  }
  clock = NOW
  await countAllRequests({ db: app.db, engine, reader: app.db }, NOW)
})
afterAll(async () => {
  await ledger.close()
  await app.close()
  restore()
})

const period = { tag_key: 'project', start_timestamp: NOW - SPAN, end_timestamp: NOW }

/** What the ledger took for requests of an account: from its wallet, or from what subscriptions cover. */
async function chargedBy(userId: number, from: 'wallet' | 'allowance', since: number): Promise<number> {
  const row = await app.db
    .selectFrom('postings')
    .select(({ fn }) => fn.sum('amount').as('amount'))
    .where('kind', '=', 'charge')
    .where('from_account', from === 'wallet' ? '<>' : '=', 'allowance')
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return Number(row?.amount ?? 0)
}

const sumOf = (numbers: readonly (number | null)[]): number =>
  numbers.reduce((sum: number, number) => sum + (number ?? 0), 0)

type ReportOf = (query: Partial<AnalyticsQuery>) => Promise<{
  readonly total: { readonly requests: number; readonly quota: number }
  readonly groups: ReadonlyArray<{
    readonly value: string
    readonly name: string
    readonly second_value: string
    readonly figures: { readonly requests: number; readonly quota: number }
  }>
  readonly series: ReadonlyArray<{ readonly numbers: readonly (number | null)[] }>
}>

const ofAcme: ReportOf = async query =>
  (await treasurer.call(getSelfAnalytics, { query: { ...period, limit: 200, ...query } })).data
const ofAll: ReportOf = async query =>
  (await app.root.call(getAnalytics, { query: { ...period, limit: 200, ...query } })).data

describe('an organisation', () => {
  test.each(OWN_ANALYTICS_DIMENSIONS.filter(by => by !== 'plan'))(
    'pays by %s what its statement says and the ledger took, to the unit',
    async by => {
      for (const hours of [60, 24, 5]) {
        const from = NOW - hours * HOUR
        const times = { start_timestamp: from, end_timestamp: NOW }
        const statement = (await treasurer.call(getSelfStatement, { query: times })).data
        const bill = (await treasurer.call(getSelfBill, { query: times })).data
        const { groups, total } = await ofAcme({ ...times, by, second: 'plan' })
        const paid = (isByWallet: boolean) =>
          sumOf(
            groups
              .filter(({ second_value }) => (second_value === '') === isByWallet)
              .map(({ figures }) => figures.quota),
          )
        const taken = await chargedBy(acme.id, 'wallet', from)
        const billed = sumOf(bill.lines.map(({ amount }) => amount))
        expect([paid(true), statement.charged, billed]).toEqual([taken, taken, taken])
        expect(paid(false)).toBe(await chargedBy(acme.id, 'allowance', from))
        expect(total.quota).toBe(paid(true) + paid(false))
        expect(paid(true)).toBeGreaterThan(0)
        expect(paid(false)).toBeGreaterThan(0)
      }
    },
  )

  test('sees members and projects by their names, and what no member or project used', async () => {
    const names = async (by: 'member' | 'project') =>
      (await ofAcme({ by })).groups.map(({ value, name }) => `${value} ${name}`).sort()
    expect(await names('member')).toEqual(['0 ', `${ids.carl} person ${carl.id}`].sort())
    expect(await names('project')).toEqual(['0 ', `${ids.course} Course`].sort())
  })

  test('sees nothing of another organisation, and nothing that a member uses privately', async () => {
    for (const by of OWN_ANALYTICS_DIMENSIONS) {
      const text = JSON.stringify(await ofAcme({ by }))
      expect(text).not.toContain('secret')
      const csv = await treasurer.fetch(
        `${exportSelfAnalytics.path}?by=${by}&start_timestamp=${period.start_timestamp}&end_timestamp=${NOW}`,
      )
      expect(await csv.text()).not.toContain('secret')
    }
    const [own, private_] = [await ofAcme({}), (await carl.call(getSelfAnalytics, { query: period })).data]
    const counted = async (userId: number) =>
      (
        await app.db
          .selectFrom('logs')
          .select('id')
          .where('user_id', '=', userId)
          .where('type', '<>', 1)
          .execute()
      ).length
    expect(own.total.requests).toBe(await counted(acme.id))
    expect(private_.total.requests).toBe(await counted(carl.id))
    expect((await ofAcme({ member: String(ids.stranger) })).total.requests).toBe(0)
  })

  test('exports its members by name, and what belongs to none as such', async () => {
    const query = `by=member&start_timestamp=${period.start_timestamp}&end_timestamp=${NOW}`
    const text = await (await treasurer.fetch(`${exportSelfAnalytics.path}?${query}`)).text()
    const lines = text.trim().split('\r\n')
    const labels = lines.slice(1).map(line => line.split(',')[0])
    expect(labels.sort()).toEqual(['(none)', '(total)', `person ${carl.id}`])
  })

  test('says in bill and analytics that it has members, which persons have not', async () => {
    expect((await treasurer.call(getSelfBill, { query: period })).data.is_organization).toBe(true)
    expect((await carl.call(getSelfBill, { query: period })).data.is_organization).toBe(false)
    expect((await treasurer.call(getSelfAnalytics, { query: period })).data.is_organization).toBe(true)
    expect((await carl.call(getSelfAnalytics, { query: period })).data.is_organization).toBe(false)
    const params = { id: acme.id }
    expect(await acme.owner.call(getUserBill, { params, query: period })).toMatchObject({ success: false })
    expect((await app.root.call(getUserBill, { params, query: period })).data.is_organization).toBe(true)
  })

  test('hides its usage from members without a role for it', async () => {
    expect(await carlActing.call(getSelfAnalytics, { query: period })).toMatchObject({
      success: false,
      code: 'membership.role_too_low',
    })
    expect(await carlActing.call(getSelfStatement, { query: period })).toMatchObject({ success: false })
  })
})

test('operators see organisations, their members and projects', async () => {
  const { groups } = await ofAll({ by: 'organization', measure: 'revenue' })
  expect(groups.map(({ name }) => name).sort()).toEqual(['', 'Acme', 'Beta secret'])
  const acmeGroup = groups.find(({ name }) => name === 'Acme')
  expect(acmeGroup?.figures).toMatchObject((await ofAcme({})).total)
  expect((await ofAll({ organization: String(acme.id) })).total).toMatchObject((await ofAcme({})).total)
  const member = await ofAll({ by: 'project', second: 'member', member: String(ids.carl) })
  expect(member.groups.map(({ name }) => name).sort()).toEqual(['', 'Course'])
})

const VALUES = {
  model_name: [...MODELS, 'm0,m1'],
  organization: ['0', 'acme'],
  member: ['0', 'carl'],
  project: ['0', 'course'],
  plan: ['Pro', 'Team'],
  tag: ['project=web', 'project'],
  error: ['503 x'],
}

/** At most two filters of the period. */
const someFilter = fc
  .record({
    since: fc.integer({ min: 5, max: 59 }).map(hours => NOW - hours * HOUR),
    names: fc.subarray(['model_name', 'organization', 'member', 'project', 'plan', 'tag', 'error'] as const, {
      maxLength: 2,
    }),
    pick: fc.nat(),
  })
  .map(({ since, names, pick }) => ({
    start_timestamp: since,
    ...Object.fromEntries(names.map(name => [name, VALUES[name][pick % VALUES[name].length] ?? ''])),
  }))

test('total, groups by any dimension and chart count the same requests', async () => {
  const known = () => ({ acme: String(acme.id), carl: String(ids.carl), course: String(ids.course) })
  let counted = 0
  for (const sample of fc.sample(someFilter, { numRuns: FILTERS, seed: 3 })) {
    const query = Object.fromEntries(
      Object.entries(sample).map(([key, value]) => [key, Reflect.get(known(), value) ?? value]),
    )
    const { requests, quota: units } = (await ofAll(query)).total
    counted += requests
    for (const by of ['organization', 'member', 'project', 'plan', 'tag'] as const) {
      const { total, groups, series } = await ofAll({ ...query, by, tag_key: 'project', bucket: 'hour' })
      expect({
        ...{ query, by, total: total.requests, quota: total.quota },
        groups: sumOf(groups.map(({ figures }) => figures.requests)),
        quotaOfGroups: sumOf(groups.map(({ figures }) => figures.quota)),
        chart: sumOf(series.flatMap(({ numbers }) => numbers)),
      }).toEqual({
        ...{ query, by, total: requests, quota: units },
        ...{ groups: requests, quotaOfGroups: units, chart: requests },
      })
    }
  }
  expect(counted).toBeGreaterThan(REQUESTS)
}, 180_000)

import { afterEach, expect, test } from 'bun:test'
import { type Budget, createBudget, listBudgets } from '#features/budgets/contract.ts'
import { addMembers } from '#features/organizations/contract/members.ts'
import { createOrganization, getOrganization } from '#features/organizations/contract/organizations.ts'
import { updateUser } from '#features/users/contract.ts'
import chat from '#server/lab/openai/fixtures/chat.json'
import { addUser } from '../harness/add-user.ts'
import { type AdminClient, resume } from '../harness/api-client.ts'
import { callChat, errorOf } from '../harness/call-chat.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream } from '../harness/start-upstream.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const MODEL = 'counted'
/** `TEST_LONG`: a thousand members with a hundred requests each, which takes minutes. */
const MEMBERS = process.env.TEST_LONG ? 1000 : 60
const REQUESTS_EACH = process.env.TEST_LONG ? 100 : 15
const IN_FLIGHT = 1000
const INVITED_AT_ONCE = 100
const PRICE = 500
const AFFORDED_EACH = 5
const UNLIMITED = 1_000_000
/** Nothing was charged, and clients repeat it. */
const OVERLOADED = 503
const TIMEOUT_MS = 900_000

const upstream = startUpstream()
upstream.respondWith(JSON.stringify(chat), 'application/json')

let site: Site
let second: RunningGateway | undefined
let postgres: PostgresDatabase | undefined
afterEach(async () => {
  await Promise.all([site?.stop(), second?.stop()])
  await postgres?.stop()
  second = undefined
  postgres = undefined
})

/** An organisation with a wallet, whose members have a key and a cap each. */
async function startOrganization(environment: Readonly<Record<string, string>>, wallet: number) {
  site = await startSite({ environment })
  await setOptions(site.root, {
    ModelPrice: { [MODEL]: PRICE / 500_000 },
    FailedRequestRateLimit: UNLIMITED,
    CallBudgetPerMinute: UNLIMITED,
    OrganizationCreators: 'everybody',
  })
  await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: [MODEL],
    draft: { base_url: upstream.url },
  })
  const person = await addUser(site.gateway, { username: 'owner', wallet: 0 })
  const { id } = await person.call(createOrganization, { body: { name: 'Team' } })
  await site.root.call(updateUser, { body: { id, quota: wallet } })
  const owner = resume(site.gateway.url, { ...person, organization: id })
  return { id, owner, keys: await invite(owner) }
}

async function invite(owner: AdminClient): Promise<string[]> {
  const keys: string[] = []
  while (keys.length < MEMBERS) {
    const count = Math.min(INVITED_AT_ONCE, MEMBERS - keys.length)
    const people = Array.from({ length: count }, (_, index) => ({ name: `member ${keys.length + index}` }))
    const cap = { monthly_quota: PRICE * AFFORDED_EACH + PRICE - 1, has_token: true }
    const invited = await owner.call(addMembers, { body: { people, ...cap } })
    keys.push(...invited.flatMap(({ token }) => (token ? [token.key] : [])))
  }
  return keys
}

/**
 * All members call in turns, as many as are in flight at once, and repeat what a slow machine refuses. Returns how many were served,
 * and why others were not.
 */
async function callAtOnce(keys: readonly string[], urls: readonly string[]) {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  const calls = Array.from({ length: REQUESTS_EACH }, () => keys).flat()
  const reasons = new Set<string>()
  let served = 0
  let next = 0
  const callInTurn = async (): Promise<void> => {
    while (next < calls.length) {
      const index = next
      next += 1
      const url = urls[index % urls.length] ?? ''
      const result = await callChat({ url, key: calls[index] ?? '', body })
      if (result.status === 200) served += 1
      else if (result.status === OVERLOADED) calls.push(calls[index] ?? '')
      else reasons.add(`${result.status} ${errorOf(result).code}`)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, callInTurn))
  return { served, reasons: [...reasons].sort() }
}

/** All budgets of the organisation, page by page. */
async function listAll(owner: AdminClient): Promise<readonly Budget[]> {
  const budgets: Budget[] = []
  while (true) {
    const page = await owner.call(listBudgets, { query: { after_id: budgets.at(-1)?.id ?? 0 } })
    if (page.length === 0) return budgets
    budgets.push(...page)
  }
}

/** Returns what the caps of all members have used together. */
function expectWithin(budgets: readonly Budget[]): number {
  expect(budgets.filter(({ amount, used }) => used > amount)).toEqual([])
  expect(budgets.filter(({ held }) => held !== 0)).toEqual([])
  const caps = budgets.filter(({ subject }) => subject === 'member')
  expect(caps).toHaveLength(MEMBERS)
  return caps.reduce((sum, { used }) => sum + used, 0)
}

test(
  `${MEMBERS} members of an organisation use exactly its window and their caps over two processes on PostgreSQL`,
  async () => {
    postgres = await openPostgres()
    const environment = { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY: 'the secret key of two' }
    const wallet = PRICE * MEMBERS * AFFORDED_EACH * 2
    const { id, owner, keys } = await startOrganization(environment, wallet)
    // Some members find the window used up, most of them their cap.
    const window = { unit: 'requests', amount: MEMBERS * AFFORDED_EACH - 7, period: 'rolling', hours: 5 }
    await site.root.call(createBudget, { body: { subject: 'user', subject_id: id, ...window } })
    second = await startGateway({ environment })
    const { served, reasons } = await callAtOnce(keys, [site.gateway.url, second.url])
    expect(reasons).toEqual(['429 budget_exceeded'])
    expect(served).toBe(window.amount)
    const budgets = await listAll(owner)
    expect(expectWithin(budgets)).toBe(served * PRICE)
    expect(budgets.find(({ subject }) => subject === 'user')).toMatchObject({ used: served })
    expect((await owner.call(getOrganization)).quota).toBe(wallet - served * PRICE)
    expect(await verifyLedger(environment)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  },
  TIMEOUT_MS,
)

test(
  `${MEMBERS} members of an organisation spend no more than its wallet on SQLite`,
  async () => {
    const affordable = MEMBERS * 3
    const { owner, keys } = await startOrganization({}, PRICE * affordable + PRICE - 1)
    const { served, reasons } = await callAtOnce(keys, [site.gateway.url])
    expect(served).toBe(affordable)
    expect(reasons).toContain('403 insufficient_user_quota')
    expect(expectWithin(await listAll(owner))).toBe(affordable * PRICE)
    expect((await owner.call(getOrganization)).quota).toBe(PRICE - 1)
    const audit = await verifyLedger({ DATA_DIR: site.gateway.dataDir })
    expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  },
  TIMEOUT_MS,
)

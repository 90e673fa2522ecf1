import { afterEach, expect, test } from 'bun:test'
import { type Budget, createBudget, listBudgets } from '#features/budgets/contract.ts'
import chat from '#server/lab/openai/fixtures/chat.json'
import { addUser } from '../harness/add-user.ts'
import { callChat, errorOf } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream } from '../harness/start-upstream.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const MODEL = 'counted'
/** `TEST_LONG` runs as many members as one machine serves within minutes. */
const MEMBERS = process.env.TEST_LONG ? 400 : 60
const REQUESTS_EACH = process.env.TEST_LONG ? 50 : 15
const PRICE = 500
const MEMBER_REQUESTS = 5
/** Below what the budgets of the members allow together. */
const TEAM_REQUESTS = MEMBERS * 4
const UNLIMITED = 1_000_000
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

/** A team whose members share a wallet, each with a token and a budget of its own. */
async function startTeam(environment: Readonly<Record<string, string>>, wallet: number) {
  site = await startSite({ environment })
  await setOptions(site.root, {
    ModelPrice: { [MODEL]: PRICE / 500_000 },
    FailedRequestRateLimit: UNLIMITED,
    CallBudgetPerMinute: UNLIMITED,
  })
  await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: [MODEL],
    draft: { base_url: upstream.url },
  })
  const team = await addUser(site.gateway, { username: 'team', wallet })
  const ofTeam = { subject: 'user', subject_id: team.userId, unit: 'requests', amount: TEAM_REQUESTS }
  await site.root.call(createBudget, { body: { ...ofTeam, period: 'none' } })
  const keys: string[] = []
  for (let member = 0; member < MEMBERS; member += 1) {
    const { id, key } = await addToken(team)
    const amount = PRICE * MEMBER_REQUESTS + PRICE - 1
    await team.call(createBudget, {
      body: { subject: 'token', subject_id: id, amount, time_zone: 'Europe/Berlin' },
    })
    keys.push(key)
  }
  return { team, keys }
}

/** All members call at once, at the gateways in turn. Returns how many were served, and why others were rejected. */
async function callAtOnce(keys: readonly string[], urls: readonly string[]) {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] }
  const calls = keys.flatMap(key => Array.from({ length: REQUESTS_EACH }, () => key))
  const results = await Promise.all(
    calls.map((key, index) => callChat({ url: urls[index % urls.length] ?? '', key, body })),
  )
  const rejected = results.filter(({ status }) => status !== 200)
  return {
    served: results.length - rejected.length,
    reasons: new Set(rejected.map(result => `${result.status} ${errorOf(result).code}`)),
  }
}

function expectWithin(budgets: readonly Budget[]): void {
  expect(budgets).toHaveLength(MEMBERS + 1)
  expect(budgets.filter(({ amount, used }) => used > amount)).toEqual([])
  expect(budgets.filter(({ held }) => held !== 0)).toEqual([])
}

test(
  `${MEMBERS} members of a team use exactly their budgets over two processes on PostgreSQL`,
  async () => {
    postgres = await openPostgres()
    const environment = { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY: 'the secret key of two' }
    const { team, keys } = await startTeam(environment, PRICE * MEMBERS * 10)
    second = await startGateway({ environment })
    const { served, reasons } = await callAtOnce(keys, [site.gateway.url, second.url])
    expect(reasons).toEqual(new Set(['429 budget_exceeded']))
    expect(served).toBe(TEAM_REQUESTS)
    const budgets = await team.call(listBudgets)
    expectWithin(budgets)
    expect(budgets[0]).toMatchObject({ used: TEAM_REQUESTS })
    const spent = budgets.slice(1).reduce((sum, { used }) => sum + used, 0)
    expect(spent).toBe(TEAM_REQUESTS * PRICE)
    expect(await verifyLedger(environment)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  },
  TIMEOUT_MS,
)

test(
  `${MEMBERS} members of a team spend no more than their wallet on SQLite`,
  async () => {
    const affordable = MEMBERS * 3
    const { team, keys } = await startTeam({}, PRICE * affordable + PRICE - 1)
    const { served, reasons } = await callAtOnce(keys, [site.gateway.url])
    expect(served).toBe(affordable)
    expect([...reasons].sort()).toEqual(['403 insufficient_user_quota', '429 budget_exceeded'])
    expectWithin(await team.call(listBudgets))
    const audit = await verifyLedger({ DATA_DIR: site.gateway.dataDir })
    expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  },
  TIMEOUT_MS,
)

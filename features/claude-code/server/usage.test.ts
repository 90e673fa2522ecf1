import { afterEach, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

let relay: TestRelay
let restoreClock: (() => void) | undefined
afterEach(async () => {
  restoreClock?.()
  restoreClock = undefined
  await relay.close()
})

const BODY = { model: 'lab', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }
const PREFIX = 'anthropic-ratelimit-'

const limitsIn = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith(PREFIX)))

async function headersOf(path: string, used: number, remain: number | undefined, body: object = BODY) {
  relay = await TestRelay.open()
  await relay.addChannel()
  const key = await relay.addToken({ ...(remain && { remain }), columns: { used_quota: used } })
  const response = await relay.request(path, key, body)
  expect(response.status).toBe(200)
  await response.text()
  return limitsIn(response.headers)
}

const standing = (status: string, utilization: string, threshold?: string) => ({
  [`${PREFIX}unified-status`]: status,
  [`${PREFIX}unified-representative-claim`]: 'overage',
  [`${PREFIX}unified-overage-status`]: status,
  [`${PREFIX}unified-overage-utilization`]: utilization,
  ...(threshold !== undefined && { [`${PREFIX}unified-overage-surpassed-threshold`]: threshold }),
})

test.each([
  [0, 100_000, standing('allowed', '0.00')],
  [74_000, 26_000, standing('allowed', '0.74')],
  [75_000, 25_000, standing('allowed_warning', '0.75', '0.75')],
  [950_000, 50_000, standing('allowed_warning', '0.95', '0.95')],
  [999_999_999, 20_000, standing('allowed_warning', '0.99', '0.95')],
  [75_000, undefined, {}],
] as const)('tells a token with %d used and %p left how far it is', async (used, remain, expected) => {
  expect(await headersOf('/v1/messages', used, remain)).toEqual(expected)
  await relay.close()
  expect(await headersOf('/v1/messages', used, remain, { ...BODY, stream: true })).toEqual(expected)
})

test.each([
  ['/v1/chat/completions', { model: 'lab', messages: BODY.messages }],
  ['/v1/responses', { model: 'lab', input: 'hi' }],
])('tells clients of %s nothing that they do not read', async (path, body) => {
  expect(await headersOf(path, 9, 100_000, body)).toEqual({})
})

test('tells a rejected token why, in the headers that Claude Code reads', async () => {
  relay = await TestRelay.open()
  await relay.addChannel()
  for (const remain of [0, 1]) {
    const { status, headers } = await relay.request('/v1/messages', await relay.addToken({ remain }), BODY)
    expect([status, headers.get('x-should-retry')]).toEqual([429, 'false'])
    expect(limitsIn(headers)).toEqual({
      [`${PREFIX}unified-status`]: 'rejected',
      [`${PREFIX}unified-overage-utilization`]: '1',
      [`${PREFIX}unified-overage-surpassed-threshold`]: '1',
      [`${PREFIX}unified-overage-disabled-reason`]: 'org_spend_cap_reached',
    })
  }
})

const getUsage = async (key: string) => (await relay.request('/api/oauth/usage', key, undefined)).json()

test.each([
  { used: 250_000, remain: 1_000_000, spent: 50, limit: 250, percent: 20, severity: 'normal' },
  { used: 400_000, remain: 100_000, spent: 80, limit: 100, percent: 80, severity: 'warning' },
  { used: 500_000, remain: 1, spent: 100, limit: 100, percent: 100, severity: 'critical' },
])(
  'shows the dollars of a token with $used used and $remain left',
  async ({ used, remain, spent, limit, percent, severity }) => {
    relay = await TestRelay.open()
    const key = await relay.addToken({ remain, columns: { used_quota: used } })
    expect(await getUsage(key)).toEqual({
      extra_usage: {
        is_enabled: true,
        monthly_limit: limit,
        used_credits: spent,
        utilization: percent,
        currency: 'USD',
      },
      limits: [{ kind: 'spend', group: 'total', percent, resets_at: null, severity, is_active: true }],
    })
  },
)

test('shows what an unlimited token itself has spent in this day, week and month', async () => {
  relay = await TestRelay.open()
  const [own, other] = [await relay.addToken(), await relay.addToken()]
  // Wednesday
  const now = Date.UTC(2026, 10, 25, 10, 30)
  const since = Date.now() - now
  restoreClock = setClock({ nowMs: () => Date.now() - since, elapsedMs: () => performance.now() })
  const tokens = await relay.db.selectFrom('tokens').select('id').orderBy('id').execute()
  const add = (tokenId: number, month: number, day: number, quota: number) =>
    addToUsageHours(relay.db, [
      {
        hour: Date.UTC(2026, month, day, 10) / 1000,
        user_id: relay.userId,
        token_id: tokenId,
        channel_id: 1,
        model_name: 'lab',
        group: 'default',
        type: 2,
        count: 1,
        quota,
        prompt_tokens: 1,
        completion_tokens: 1,
      },
    ])
  const [first = 0, second = 0] = tokens.map(({ id }) => id)
  await add(first, 10, 25, 5_000)
  await add(first, 10, 23, 50_000)
  await add(first, 10, 22, 500_000)
  await add(first, 9, 31, 5_000_000)
  await add(second, 10, 25, 50_000_000)
  const spent = (cents: number) => ({ limit: null, used_credits: cents, utilization: null })
  const usage = await getUsage(own)
  expect(usage.limits).toEqual([])
  expect(usage.extra_usage).toEqual({
    is_enabled: true,
    monthly_limit: null,
    used_credits: 111,
    utilization: null,
    currency: 'USD',
    daily: spent(1),
    weekly: spent(11),
  })
  expect((await getUsage(other)).extra_usage.used_credits).toBe(10_000)
})

test('shows nothing without a key', async () => {
  relay = await TestRelay.open()
  const { status, headers } = await relay.request('/api/oauth/usage', 'none', undefined)
  expect([status, headers.get('x-should-retry')]).toEqual([401, 'false'])
})

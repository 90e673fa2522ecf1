import { withStorageTimeout } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import { findTokenBalance } from '#server/db/billing/balances.ts'
import type { Database } from '#server/db/engine/database.ts'
import { ALL_LOGS } from '#server/db/logs/log-filter.ts'
import { sumUsage } from '#server/db/usage/usage-reads.ts'
import { LIMIT_WARNINGS } from '#server/dialects/anthropic/limits.ts'
import { BALANCE_QUERIES, limitLookups, type RateLimitDeps } from '#server/relay/admission/admit.ts'
import type { Caller } from '#server/relay/types.ts'

/** Claude Code asks here for the dollars beside the percentage. Source: `/protocol` of `claude gateway`. */
export const USAGE_PATH = '/api/oauth/usage'

const PERCENT = 100

interface UsageDeps extends Pick<RateLimitDeps, 'rateLimiter'> {
  readonly db: Database
}

/** What the token has spent: of its limit, or in this day, week and month. A limit is never reset. */
export async function getSpending(
  { caller }: { readonly caller: Caller },
  deps: UsageDeps,
): Promise<Response> {
  await limitLookups(caller, deps, BALANCE_QUERIES)
  const { token } = caller
  const balance = token && (await withStorageTimeout(findTokenBalance(deps.db, token.id)))
  if (!balance) throw new GatewayError('invalid_api_key', { zh: '无效的令牌', en: 'the token is not valid' })
  const usage = balance.isUnlimited
    ? await reportSpending(caller, deps)
    : reportLimit(balance.used, balance.used + balance.remain)
  return Response.json(usage, { headers: { 'cache-control': 'no-store' } })
}

function reportLimit(used: number, limit: number) {
  const share = limit > 0 ? used / limit : 1
  const percent = Math.round(share * PERCENT)
  const [critical, warning] = LIMIT_WARNINGS
  const severity = share >= critical ? 'critical' : share >= warning ? 'warning' : 'normal'
  return {
    extra_usage: {
      is_enabled: true,
      monthly_limit: toCents(limit),
      used_credits: toCents(used),
      utilization: percent,
      currency: 'USD',
    },
    limits: [{ kind: 'spend', group: 'total', percent, resets_at: null, severity, is_active: true }],
  }
}

async function reportSpending({ userId, token }: Caller, { db }: UsageDeps) {
  const filter = { ...ALL_LOGS, userIds: [userId], tokenIds: token ? [token.id] : [] }
  const until = nowSeconds() + HOUR_SECONDS
  const sumSince = async (from: number) => {
    const { quota } = await withStorageTimeout(sumUsage(db, filter, { from, until }))
    return { limit: null, used_credits: toCents(quota), utilization: null }
  }
  const { day, week, month } = periodStarts(new Date(nowSeconds() * 1000))
  const { used_credits } = await sumSince(month)
  const [daily, weekly] = [await sumSince(day), await sumSince(week)]
  return {
    extra_usage: {
      is_enabled: true,
      monthly_limit: null,
      used_credits,
      utilization: null,
      currency: 'USD',
      daily,
      weekly,
    },
    limits: [],
  }
}

const HOUR_SECONDS = 3_600
const DAYS_A_WEEK = 7

/** Unix seconds of the current day, of Monday, and of the month, in UTC. */
function periodStarts(now: Date) {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const start = (ofMonth: number): number => Date.UTC(year, month, ofMonth) / 1000
  const daysSinceMonday = (now.getUTCDay() + DAYS_A_WEEK - 1) % DAYS_A_WEEK
  return { day: start(day), week: start(day - daysSinceMonday), month: start(1) }
}

const toCents = (units: number): number => Math.round((units * PERCENT) / UNITS_PER_DOLLAR)

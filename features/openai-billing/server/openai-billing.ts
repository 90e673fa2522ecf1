import type { OptionValues } from '#contract/options/system-options.ts'
import { withStorageTimeout } from '#server/core/async.ts'
import { GatewayError } from '#server/core/errors.ts'
import { findTokenBalance, type QuotaBalance } from '#server/db/billing/balances.ts'
import type { Database } from '#server/db/engine/database.ts'
import { BALANCE_QUERIES, limitLookups, type RateLimitDeps } from '#server/relay/admission/admit.ts'
import type { Caller } from '#server/relay/types.ts'
import { findUserBalance } from './queries.ts'

interface OpenAiBillingDeps extends Pick<RateLimitDeps, 'rateLimiter'> {
  readonly db: Database
  readonly options: () => Pick<
    OptionValues,
    'DisplayTokenStatEnabled' | 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'
  >
}

interface BillingQuery {
  readonly caller: Caller
}

/** The limit that is reported for an unlimited token, in dollars. */
const UNLIMITED = 100_000_000
const CENTS = 100

/** The total quota in the format of OpenAI's former billing API. Clients subtract the usage from it. */
export async function getSubscription(query: BillingQuery, deps: OpenAiBillingDeps): Promise<Response> {
  const { remain, used, isUnlimited, expiresAt } = await getBalance(query, deps)
  const limit = isUnlimited ? UNLIMITED : toShown(remain + used, deps)
  return Response.json({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: expiresAt,
  })
}

/** The used quota, in hundredths. */
export async function getUsage(query: BillingQuery, deps: OpenAiBillingDeps): Promise<Response> {
  const { used } = await getBalance(query, deps)
  return Response.json({ object: 'list', total_usage: toShown(used, deps) * CENTS })
}

async function getBalance({ caller }: BillingQuery, deps: OpenAiBillingDeps): Promise<QuotaBalance> {
  const { db, options } = deps
  await limitLookups(caller, deps, BALANCE_QUERIES)
  const tokenId = options().DisplayTokenStatEnabled ? caller.token?.id : undefined
  const balance = await withStorageTimeout(
    tokenId === undefined ? findUserBalance(db, caller.userId) : findTokenBalance(db, tokenId),
  )
  if (!balance) throw new GatewayError('invalid_api_key', { zh: '无效的令牌', en: 'the token is not valid' })
  return balance
}

function toShown(units: number, { options }: OpenAiBillingDeps): number {
  const { DisplayInCurrencyEnabled, QuotaPerUnit } = options()
  return DisplayInCurrencyEnabled ? units / QuotaPerUnit : units
}

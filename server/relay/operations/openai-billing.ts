import { GatewayError } from '../../core/errors.ts'
import { type Balance, findTokenBalance, findUserBalance } from '../../db/balance-reads.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Caller } from '../request/caller.ts'
import { limitBalanceQueries } from '../request/rate-limit.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'

/** What an unlimited token says it has, in dollars. */
const UNLIMITED = 100_000_000
const CENTS = 100

/** What the caller has and had, as OpenAI's old billing address tells it. Clients subtract the usage from it. */
export async function subscriptionResponse(caller: Caller, gateway: RelayContext): Promise<Response> {
  const { remain, used, isUnlimited, expiresAt } = await balanceOf(caller, gateway)
  const limit = isUnlimited ? UNLIMITED : shown(remain + used, gateway)
  return Response.json({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: expiresAt,
  })
}

/** What the caller has used, in hundredths. */
export async function usageResponse(caller: Caller, gateway: RelayContext): Promise<Response> {
  const { used } = await balanceOf(caller, gateway)
  return Response.json({ object: 'list', total_usage: shown(used, gateway) * CENTS })
}

async function balanceOf(caller: Caller, gateway: RelayContext): Promise<Balance> {
  const { db, settings } = gateway
  await limitBalanceQueries(caller, gateway)
  const tokenId = settings.current().balances.isOfToken ? caller.token?.id : undefined
  const balance = await withStorageTimeout(
    tokenId === undefined ? findUserBalance(db, caller.userId) : findTokenBalance(db, tokenId),
  )
  if (!balance) throw new GatewayError('invalid_api_key', 'the API key is not known here')
  return balance
}

const shown = (units: number, { settings }: RelayContext): number =>
  units / settings.current().balances.unitsShownAsOne

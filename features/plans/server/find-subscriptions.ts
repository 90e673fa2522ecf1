import { batchLookups, withStorageTimeout } from '#server/core/async.ts'
import { GatewayError } from '#server/core/errors.ts'
import { textsOf } from '#server/core/language.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { HoldRequest, RequestedUse, SubscriptionOffer } from '#server/ledger/ledger-command.ts'
import { type Allowance, includes, readAllowance } from './allowance.ts'
import { findCovering } from './queries.ts'

/** Finds the subscriptions that may cover a request, read as they are now. Requests that come together share a query. */
export function createSubscriptionFinder(db: Database) {
  const look = batchLookups((userIds: readonly number[]) => withStorageTimeout(findCovering(db, userIds)))
  return async ({ userId }: HoldRequest, use: RequestedUse): Promise<readonly SubscriptionOffer[]> =>
    ((await look(userId)) ?? [])
      .map(({ id, allowance }) => ({ id, allowance: readAllowance(allowance) }))
      .filter(({ allowance }) => includes(allowance, use))
      .map(({ id, allowance }) => ({
        subscriptionId: id,
        plan: allowance.name,
        reject: excess => whenUsedUp(allowance, excess),
      }))
}

/** What follows when a window of the subscription has no more. Undefined: the wallet pays. */
function whenUsedUp({ whenUsedUp: follows }: Allowance, excess: GatewayError): GatewayError | undefined {
  if (follows === 'wallet') return undefined
  // Clients repeat a 429 by themselves, and not a 403.
  return follows === 'wait'
    ? excess
    : new GatewayError('insufficient_user_quota', textsOf(excess), { cause: excess.cause })
}

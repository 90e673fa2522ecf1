import { everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Job, Services } from '#server/feature.ts'
import { RETRY_SECONDS } from './life.ts'
import { defer, listDue } from './queries.ts'
import { catchUp } from './subscriptions.ts'

const INTERVAL_MS = 30_000
const SUBSCRIPTIONS_AT_ONCE = 200
const BY_GATEWAY = { actorId: 0, requestId: '' }

/**
 * Brings subscriptions that are due to today: days earn, terms end, renewals are paid. One that fails is tried again later and
 * keeps no other from it. Safe on several processes at once.
 */
export async function catchUpDue({
  db,
  ledger,
  log,
}: Pick<Services, 'db' | 'ledger' | 'log'>): Promise<void> {
  for (const { id } of await listDue(db, nowSeconds(), SUBSCRIPTIONS_AT_ONCE))
    await catchUp(db, id, { ledger, cause: BY_GATEWAY }).catch(async error => {
      log.error('a subscription could not be renewed', { subscription_id: id, error })
      await defer(db, id, nowSeconds() + RETRY_SECONDS)
    })
}

export const renewalJob =
  (services: Pick<Services, 'db' | 'ledger' | 'log'>): Job =>
  () =>
    everyMs(INTERVAL_MS, () =>
      catchUpDue(services).catch(error => services.log.error('subscriptions were not renewed', { error })),
    )

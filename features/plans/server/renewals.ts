import { everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Job, Services } from '#server/feature.ts'
import { RETRY_SECONDS } from './life.ts'
import { createSubscriptionNotifier, type SubscriptionNotifier } from './notices.ts'
import { buyOrdered } from './orders.ts'
import { defer, listDue } from './queries.ts'
import { catchUp } from './subscriptions.ts'

const INTERVAL_MS = 30_000
const SUBSCRIPTIONS_AT_ONCE = 200
const BY_GATEWAY = { actorId: 0, requestId: '' }

interface RenewalDeps extends Pick<Services, 'db' | 'ledger' | 'log'> {
  readonly notify: SubscriptionNotifier
}

/**
 * Brings subscriptions that are due to today: days earn, terms end, renewals are paid. One that fails is tried again later and
 * keeps no other from it. Safe on several processes at once.
 */
export async function catchUpDue({ db, ledger, log, notify }: RenewalDeps): Promise<void> {
  for (const { id } of await listDue(db, nowSeconds(), SUBSCRIPTIONS_AT_ONCE))
    try {
      const change = await catchUp(db, id, { ledger, cause: BY_GATEWAY })
      if (change) await notify(change.after, change.before.state)
    } catch (error) {
      log.error('a subscription could not be renewed', { subscription_id: id, error })
      await defer(db, id, nowSeconds() + RETRY_SECONDS)
    }
}

export function renewalJob(services: Services): Job {
  const deps = { ...services, notify: createSubscriptionNotifier(services) }
  return () =>
    everyMs(INTERVAL_MS, () =>
      catchUpDue(deps)
        .then(() => buyOrdered({ ...services, zone: services.settings.current().values.ReportingTimeZone }))
        .catch(error => services.log.error('subscriptions were not renewed', { error })),
    )
}

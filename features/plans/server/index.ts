import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import type { Ledger } from '#server/ledger/ledger.ts'
import type { Subscription } from '../contract.ts'
import * as endpoints from '../contract.ts'
import { plans } from '../migrations/0101-plans.ts'
import { subscriptionError } from './errors.ts'
import { createSubscriptionFinder } from './find-subscriptions.ts'
import type { LifeCause, LifeDeps } from './life.ts'
import { addPlan, changePlanRow, removePlan } from './plans.ts'
import {
  countSubscribers,
  findSubscription,
  listPlanRows,
  listSubscriptionRows,
  listSubscriptionsOf,
  type SubscriptionRow,
} from './queries.ts'
import { renewalJob } from './renewals.ts'
import { readRevenue } from './revenue.ts'
import { changePlan, endAllOf, payNow, startPlan, steer } from './subscriptions.ts'
import { toPlan, toSubscription } from './view.ts'

const planRoutes = [
  handle(endpoints.listOfferedPlans, async ({ db }) => (await listPlanRows(db, true)).map(toPlan)),

  handle(endpoints.listPlans, async ({ db }) => {
    const subscribers = await countSubscribers(db)
    const rows = await listPlanRows(db, false)
    return rows.map(row => ({ ...toPlan(row), subscribers: subscribers.get(row.id) ?? 0 }))
  }),

  handle(endpoints.createPlan, ({ db, body }) => addPlan(db, body)),
  handle(endpoints.updatePlan, ({ db, params, body }) => changePlanRow(db, params.id, body)),
  handle(endpoints.deletePlan, ({ db, params }) => removePlan(db, params.id)),

  handle(endpoints.readPlanRevenue, ({ reader, query, settings }) =>
    readRevenue(reader, query.days, settings.current().values.ReportingTimeZone),
  ),

  handle(endpoints.listSubscriptions, async ({ reader, query }) => {
    const { p: page, page_size, plan_id: planId, user_id: userId, state } = query
    const slice = { offset: (page - 1) * page_size, limit: page_size }
    const { rows, total } = await listSubscriptionRows(reader, { planId, userId, state }, slice)
    return { items: rows.map(toSubscription), total, page, page_size }
  }),

  handle(endpoints.listOwnSubscriptions, async ({ db, caller }) =>
    (await listSubscriptionsOf(db, caller.id)).map(toSubscription),
  ),
]

/** What changes subscriptions. */
function createRoutes(ledger: Pick<Ledger, 'budgetRules'>) {
  type Change = (tx: Database, deps: LifeDeps & { readonly cause: LifeCause }) => Promise<SubscriptionRow>
  const change = (
    { db, caller, requestId }: Pick<ApiContext, 'db' | 'caller' | 'requestId'>,
    work: Change,
  ): Promise<Subscription> =>
    inTransaction(db, async tx => {
      const { id } = await work(tx, { ledger, cause: { actorId: caller.id, requestId } })
      const row = await findSubscription(tx, id)
      if (!row) throw subscriptionError('unknown')
      return toSubscription(row)
    })
  return [
    handle(endpoints.subscribe, ({ body, settings, ...context }) => {
      const zone = settings.current().values.ReportingTimeZone
      const what = { userId: context.caller.id, planId: body.plan_id, zone }
      return change(context, (tx, deps) => startPlan(tx, what, deps))
    }),

    handle(endpoints.steerSubscription, ({ params, body, ...context }) =>
      change(context, (tx, deps) =>
        body.step === 'pay'
          ? payNow(tx, { id: params.id, userId: context.caller.id }, deps)
          : steer(tx, { id: params.id, userId: context.caller.id }, { kind: body.step }, deps),
      ),
    ),

    handle(endpoints.changeSubscription, ({ params, body, ...context }) =>
      change(context, (tx, deps) => {
        const which = { id: params.id, userId: context.caller.id }
        return changePlan(tx, which, { planId: body.plan_id, from: body.from, mayRefund: false }, deps)
      }),
    ),

    handle(endpoints.endSubscription, ({ params, body, ...context }) =>
      change(context, (tx, deps) =>
        steer(tx, { id: params.id, userId: undefined }, { kind: 'end', isRefunded: body.is_refunded }, deps),
      ),
    ),
  ]
}

/** The budgets of a deleted user go with the user. */
const NO_BUDGETS = { budgetRules: () => ({ put: async () => undefined }) }

export const feature = defineFeature({
  migrations: [plans],
  verify: async ({ database }) => (await import('./verify.ts')).verifyPlans(database.db),
  on: {
    userDeleted: (tx, userId) =>
      endAllOf(tx, userId, { ledger: NO_BUDGETS, cause: { actorId: 0, requestId: '' } }),
  },
  start(services) {
    services.ledger.paidBy(createSubscriptionFinder(services.db))
    return {
      routes: [...planRoutes, ...createRoutes(services.ledger)],
      jobs: [renewalJob(services)],
      budgetSubjects: {
        subscription: {
          name: { zh: '订阅', en: 'subscription' },
          isOpen: false,
          findPayer: async (db, id) => (await findSubscription(db, id))?.user_id,
        },
      },
    }
  },
})

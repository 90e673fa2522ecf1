import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { defineFeature, type Services } from '#server/feature.ts'
import * as planEndpoints from '../contract/plans.ts'
import type { Subscription } from '../contract/subscriptions.ts'
import * as subscriptionEndpoints from '../contract/subscriptions.ts'
import { plans } from '../migrations/0101-plans.ts'
import { planCodes } from '../migrations/0102-plan-codes.ts'
import { planOrders } from '../migrations/0103-plan-orders.ts'
import { createCodes, redeemPlanCode } from './codes.ts'
import { subscriptionError } from './errors.ts'
import { createSubscriptionFinder } from './find-subscriptions.ts'
import type { LifeCause, LifeDeps } from './life.ts'
import { createSubscriptionNotifier } from './notices.ts'
import { orderPlan } from './orders.ts'
import { addPlan, changePlanRow, removePlan } from './plans.ts'
import {
  countCodes,
  countSubscribers,
  deleteCodes,
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
  handle(planEndpoints.listOfferedPlans, async ({ db }) => (await listPlanRows(db, true)).map(toPlan)),

  handle(planEndpoints.listPlans, async ({ db }) => {
    const [subscribers, codes] = [await countSubscribers(db), await countCodes(db)]
    const rows = await listPlanRows(db, false)
    return rows.map(row => ({
      ...toPlan(row),
      subscribers: subscribers.get(row.id) ?? 0,
      unused_codes: codes.get(row.id) ?? 0,
    }))
  }),

  handle(planEndpoints.createPlan, ({ db, body }) => addPlan(db, body)),
  handle(planEndpoints.updatePlan, ({ db, params, body }) => changePlanRow(db, params.id, body)),
  handle(planEndpoints.deletePlan, ({ db, params }) => removePlan(db, params.id)),

  handle(planEndpoints.createPlanCodes, ({ params, body, ...context }) =>
    createCodes({ planId: params.id, count: body.count }, context),
  ),
  handle(planEndpoints.deletePlanCodes, async ({ db, params }) => {
    await deleteCodes(db, params.id)
  }),

  handle(planEndpoints.readPlanRevenue, ({ reader, query, settings }) =>
    readRevenue(reader, query.days, settings.current().values.ReportingTimeZone),
  ),

  handle(subscriptionEndpoints.listSubscriptions, async ({ reader, query }) => {
    const { p: page, page_size, plan_id: planId, user_id: userId, state } = query
    const slice = { offset: (page - 1) * page_size, limit: page_size }
    const { rows, total } = await listSubscriptionRows(reader, { planId, userId, state }, slice)
    return { items: rows.map(toSubscription), total, page, page_size }
  }),

  handle(subscriptionEndpoints.listOwnSubscriptions, async ({ db, caller }) =>
    (await listSubscriptionsOf(db, caller.id)).map(toSubscription),
  ),
]

/** What changes subscriptions. */
function createRoutes({ ledger, ...services }: Services) {
  const notify = createSubscriptionNotifier(services)
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
    handle(subscriptionEndpoints.subscribe, ({ body, settings, ...context }) => {
      const zone = settings.current().values.ReportingTimeZone
      const what = { userId: context.caller.id, planId: body.plan_id, zone }
      return change(context, (tx, deps) => startPlan(tx, what, deps))
    }),

    handle(subscriptionEndpoints.orderPlan, ({ db, caller, body }) =>
      inTransaction(db, async tx => ({
        missing: await orderPlan(tx, { userId: caller.id, planId: body.plan_id }),
      })),
    ),

    handle(subscriptionEndpoints.redeemPlan, ({ body, settings, secrets, ...context }) => {
      const zone = settings.current().values.ReportingTimeZone
      const what = { userId: context.caller.id, code: body.code, zone }
      return change(context, (tx, deps) => redeemPlanCode(tx, what, { ...deps, secrets }))
    }),

    handle(subscriptionEndpoints.steerSubscription, ({ params, body, ...context }) =>
      change(context, (tx, deps) =>
        body.step === 'pay'
          ? payNow(tx, { id: params.id, userId: context.caller.id }, deps)
          : steer(tx, { id: params.id, userId: context.caller.id }, { kind: body.step }, deps),
      ),
    ),

    handle(subscriptionEndpoints.changeSubscription, ({ params, body, ...context }) =>
      change(context, (tx, deps) => {
        const which = { id: params.id, userId: context.caller.id }
        return changePlan(tx, which, { planId: body.plan_id, from: body.from, mayRefund: false }, deps)
      }),
    ),

    handle(subscriptionEndpoints.endSubscription, async ({ params, body, ...context }) => {
      const ended = await change(context, (tx, deps) =>
        steer(tx, { id: params.id, userId: undefined }, { kind: 'end', isRefunded: body.is_refunded }, deps),
      )
      const row = await findSubscription(context.db, params.id)
      if (row) await notify(row, 'active')
      return ended
    }),
  ]
}

/** The budgets of a deleted user go with the user. */
const NO_BUDGETS = { budgetRules: () => ({ put: async () => undefined }) }

export const feature = defineFeature({
  migrations: [plans, planCodes, planOrders],
  verify: async ({ database }) => (await import('./verify.ts')).verifyPlans(database.db),
  on: {
    userDeleted: (tx, userId) =>
      endAllOf(tx, userId, { ledger: NO_BUDGETS, cause: { actorId: 0, requestId: '' } }),
  },
  start(services) {
    services.ledger.paidBy(createSubscriptionFinder(services.db))
    return {
      routes: [...planRoutes, ...createRoutes(services)],
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

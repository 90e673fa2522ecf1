import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { listGroups } from '#contract/models.ts'
import { listBudgets } from '#features/budgets/contract.ts'
import {
  createPlan,
  createPlanCodes,
  deletePlan,
  deletePlanCodes,
  listOfferedPlans,
  listPlans,
  type PlanDraft,
  readPlanRevenue,
  updatePlan,
} from '../contract/plans.ts'
import {
  changeSubscription,
  endSubscription,
  listOwnSubscriptions,
  listSubscriptions,
  orderPlan,
  type Subscription,
  steerSubscription,
  subscribe,
} from '../contract/subscriptions.ts'

const KEY = 'plans'

export const offeredQuery = queryOptions({
  queryKey: [KEY, 'offered'],
  queryFn: ({ signal }) => call(listOfferedPlans, { signal }),
})

export const ownSubscriptionsQuery = queryOptions({
  queryKey: [KEY, 'own'],
  queryFn: ({ signal }) => call(listOwnSubscriptions, { signal }),
})

/** What the windows of a subscription allow and have used. */
export const windowsQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, 'windows', id],
    queryFn: ({ signal }) =>
      call(listBudgets, { query: { subject: 'subscription', subject_id: id }, signal }),
  })

export const plansQuery = queryOptions({
  queryKey: [KEY, 'all'],
  queryFn: ({ signal }) => call(listPlans, { signal }),
})

export const revenueQuery = (days: number) =>
  queryOptions({
    queryKey: [KEY, 'revenue', days],
    queryFn: ({ signal }) => call(readPlanRevenue, { query: { days }, signal }),
  })

export const groupsQuery = queryOptions({
  queryKey: ['all-groups'],
  queryFn: ({ signal }) => call(listGroups, { signal }),
})

/** Subscriptions in a state, or empty: those that have not ended. `page` counts from 1. */
export const subscriptionsQuery = (state: Subscription['state'] | '', page: number, size: number) =>
  queryOptions({
    queryKey: [KEY, 'subscriptions', state, page, size],
    queryFn: ({ signal }) => call(listSubscriptions, { query: { state, p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  })

/** What changes a subscription of the reader. */
export type Step = 'pause' | 'resume' | 'cancel' | 'keep' | 'pay'

/** Mutations. Each refreshes all of plans and the balance. */
export function usePlanChanges() {
  const client = useQueryClient()
  const onSettled = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: [KEY] }),
      client.invalidateQueries({ queryKey: ['self'] }),
    ])
  return {
    buy: useMutation({
      mutationFn: (planId: number) => call(subscribe, { body: { plan_id: planId } }),
      onSettled,
    }),
    order: useMutation({
      mutationFn: (planId: number) => call(orderPlan, { body: { plan_id: planId } }),
      onSettled,
    }),
    steer: useMutation({
      mutationFn: ({ id, step }: { readonly id: number; readonly step: Step }) =>
        call(steerSubscription, { params: { id }, body: { step } }),
      onSettled,
    }),
    change: useMutation({
      mutationFn: ({ id, planId }: { readonly id: number; readonly planId: number }) =>
        call(changeSubscription, { params: { id }, body: { plan_id: planId, from: 'now' } }),
      onSettled,
    }),
    end: useMutation({
      mutationFn: (id: number) => call(endSubscription, { params: { id }, body: { is_refunded: true } }),
      onSettled,
    }),
    save: useMutation({
      meta: { isQuiet: true },
      mutationFn: ({ id, draft }: { readonly id: number | undefined; readonly draft: PlanDraft }) =>
        id === undefined
          ? call(createPlan, { body: draft })
          : call(updatePlan, { params: { id }, body: draft }),
      onSettled,
    }),
    makeCodes: useMutation({
      meta: { isQuiet: true },
      mutationFn: ({ id, count }: { readonly id: number; readonly count: number }) =>
        call(createPlanCodes, { params: { id }, body: { count } }),
      onSettled,
    }),
    removeCodes: useMutation({
      mutationFn: (id: number) => call(deletePlanCodes, { params: { id } }),
      onSettled,
    }),
    remove: useMutation({ mutationFn: (id: number) => call(deletePlan, { params: { id } }), onSettled }),
  }
}

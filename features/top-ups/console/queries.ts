import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { CallError, call, callWithMeta } from '#console/app/api/call.ts'
import { listSelfUsage } from '#features/dashboard/contract.ts'
import { listOfferedPlans } from '#features/plans/contract/plans.ts'
import { listOwnSubscriptions, PLAN_CODE_START, redeemPlan } from '#features/plans/contract/subscriptions.ts'
import { redeem } from '#features/redemption-codes/contract.ts'
import { listSelfTopUps, payTopUp, quoteTopUp } from '../contract.ts'

const USAGE_STALE_MS = 5 * 60_000
const PAYMENT_POLL_MS = 3000
const SUCCESS = 'success'

/** Alipay or WeChat Pay, as the pay call names them. */
export type PaymentMethod = 'zfb' | 'wx'

/** An amount to buy (dollars, or quota units where the installation shows units) and how to pay for it. */
export interface Purchase {
  readonly amount: number
  readonly method: PaymentMethod
}

/** The form to post to the payment provider. */
export interface PaymentForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

/** Own usage by the hour since a Unix time. */
export const usageQuery = (fromSeconds: number) =>
  queryOptions({
    queryKey: ['wallet', 'usage', fromSeconds],
    queryFn: ({ signal }) => call(listSelfUsage, { query: { start_timestamp: fromSeconds }, signal }),
    staleTime: USAGE_STALE_MS,
  })

/** What users can subscribe to, the cheapest first. */
export const plansOnOfferQuery = queryOptions({
  queryKey: ['plans', 'offered'],
  queryFn: ({ signal }) => call(listOfferedPlans, { signal }),
})

export const ownPlansQuery = queryOptions({
  queryKey: ['plans', 'own'],
  queryFn: ({ signal }) => call(listOwnSubscriptions, { signal }),
})

/** The price of an amount in yuan, as text with two decimals. */
export const quoteQuery = (amount: number) =>
  queryOptions({
    queryKey: ['wallet', 'quote', amount],
    queryFn: async ({ signal }) => {
      const { data, message } = await callWithMeta(quoteTopUp, { body: { amount, top_up_code: '' }, signal })
      if (message !== SUCCESS) throw new CallError('refused', data)
      return data
    },
  })

export const ordersQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: ['wallet', 'orders', page, size],
    queryFn: ({ signal }) => call(listSelfTopUps, { query: { p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  })

/** The order with this number, polled until it is paid; null while it is not among the newest orders. */
export const paymentQuery = (tradeNo: string) =>
  queryOptions({
    queryKey: ['wallet', 'payment', tradeNo],
    queryFn: async ({ signal }) => {
      const { items } = await call(listSelfTopUps, { query: { p: 1, page_size: 10 }, signal })
      return items.find(order => order.trade_no === tradeNo) ?? null
    },
    refetchInterval: query => (query.state.data?.status === SUCCESS ? false : PAYMENT_POLL_MS),
    gcTime: 0,
  })

async function createOrder({ amount, method }: Purchase): Promise<PaymentForm> {
  const { data, message, meta } = await callWithMeta(payTopUp, {
    body: { amount, top_up_code: '', payment_method: method },
  })
  if (message !== SUCCESS || typeof data === 'string') throw new CallError('refused', String(data))
  return { url: meta.url ?? '', fields: data }
}

/** Redeems a code of balance, or one of a plan. */
async function redeemAny(key: string): Promise<{ readonly quota: number } | { readonly plan: string }> {
  if (!key.startsWith(PLAN_CODE_START)) return { quota: await call(redeem, { body: { key } }) }
  return { plan: (await call(redeemPlan, { body: { code: key } })).plan }
}

/** Mutations of the wallet. They refresh the balance and the orders; the forms display their errors. */
export function useWalletMutations() {
  const client = useQueryClient()
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['self'] }),
      client.invalidateQueries({ queryKey: ['wallet', 'orders'] }),
      client.invalidateQueries({ queryKey: ['plans'] }),
    ])
  const common = { meta: { isQuiet: true }, onSettled: () => void refresh() }
  const redeemCode = useMutation({
    ...common,
    mutationFn: redeemAny,
  })
  const pay = useMutation({ ...common, mutationFn: createOrder })
  return { redeemCode, pay, refresh }
}

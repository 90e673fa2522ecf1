import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { redeem } from '#contract/billing/redemptions.ts'
import { listSelfTopUps, payTopUp, quoteTopUp } from '#contract/billing/top-ups.ts'
import { listSelfUsage } from '#contract/billing/usage.ts'
import { call, callWhole, CallError } from '../../app/api/call.ts'

const USAGE_FRESH_MS = 5 * 60_000
const PAYMENT_CHECK_MS = 3000
const SUCCESS = 'success'

export type PaymentMethod = 'zfb' | 'wx'

/** The form that leads to the payment provider. */
export interface PaymentForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

export const usageQuery = (fromSeconds: number) =>
  queryOptions({
    queryKey: ['wallet', 'usage', fromSeconds],
    queryFn: ({ signal }) => call(listSelfUsage, { query: { start_timestamp: fromSeconds }, signal }),
    staleTime: USAGE_FRESH_MS,
  })

/** The money for an amount, as text with two decimals. */
export const quoteQuery = (amount: number) =>
  queryOptions({
    queryKey: ['wallet', 'quote', amount],
    queryFn: async ({ signal }) => {
      const { data, message } = await callWhole(quoteTopUp, { body: { amount, top_up_code: '' }, signal })
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

/** The newest orders, asked again until this one is paid. */
export const paymentQuery = (tradeNo: string) =>
  queryOptions({
    queryKey: ['wallet', 'payment', tradeNo],
    queryFn: async ({ signal }) => {
      const { items } = await call(listSelfTopUps, { query: { p: 1, page_size: 10 }, signal })
      return items.find(order => order.trade_no === tradeNo) ?? null
    },
    refetchInterval: query => (query.state.data?.status === SUCCESS ? false : PAYMENT_CHECK_MS),
    gcTime: 0,
  })

async function placeOrder(input: {
  readonly amount: number
  readonly method: PaymentMethod
}): Promise<PaymentForm> {
  const { data, message, beside } = await callWhole(payTopUp, {
    body: { amount: input.amount, top_up_code: '', payment_method: input.method },
  })
  if (message !== SUCCESS || typeof data === 'string') throw new CallError('refused', String(data))
  return { url: beside.url ?? '', fields: data }
}

/** Writes. Their forms show refusals themselves; the balance is fetched again after each. */
export function useWalletMutations() {
  const client = useQueryClient()
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['self'] }),
      client.invalidateQueries({ queryKey: ['wallet', 'orders'] }),
    ])
  const common = { meta: { isQuiet: true }, onSettled: () => void refresh() }
  const redeemCode = useMutation({
    ...common,
    mutationFn: (key: string) => call(redeem, { body: { key } }),
  })
  const pay = useMutation({ ...common, mutationFn: placeOrder })
  return { redeemCode, pay, refresh }
}

import { z } from 'zod'
import { endpoint, PagesFromOne, pageOf } from '../endpoint.ts'

const TopUpRequest = z.object({
  /** Whole dollars, or units where the settings show units. What is no number counts as 0, which is too little. */
  amount: z.coerce.number().catch(0),
  /** Has no effect; older clients send it. */
  top_up_code: z.string().max(200).optional(),
})

/** These two calls answer `{message, data}`: `success` with data, or `error` with a sentence as data and a `code`. */
const PaymentText = z.string()

export const quoteTopUp = endpoint({
  method: 'POST',
  path: '/api/user/amount',
  role: 'user',
  summary: 'The money to pay for an amount, as text with two decimals',
  body: TopUpRequest,
  reply: PaymentText,
  produces: 'application/json',
})

export const payTopUp = endpoint({
  method: 'POST',
  path: '/api/user/pay',
  role: 'user',
  summary: 'Makes an order and answers the form to post to the payment provider, and its address',
  body: TopUpRequest.extend({ payment_method: z.string().max(20).default('') }),
  reply: z.union([z.record(z.string(), z.string()), PaymentText]),
  /** Absent beside an error. */
  meta: z.object({ url: z.string().optional() }),
  produces: 'application/json',
})

export const notifyTopUp = endpoint({
  method: 'GET',
  path: '/api/user/epay/notify',
  role: 'visitor',
  summary: 'Where the payment provider tells that an order was paid; signed by it',
  query: z.record(z.string(), z.string()),
  reply: z.string(),
  produces: 'text/plain',
})

export const TopUpEvent = z.object({
  /** Unix seconds. */
  at: z.number(),
  event: z.string(),
  detail: z.string(),
})
export type TopUpEvent = z.infer<typeof TopUpEvent>

/** An order. Status: `pending`, `success`. */
export const TopUp = z.object({
  id: z.number(),
  user_id: z.number(),
  trade_no: z.string(),
  /** Units credited when paid. */
  quota: z.number(),
  /** Text with two decimals. */
  money: z.string(),
  payment_method: z.string(),
  status: z.string(),
  created_at: z.number(),
  /** 0 while it is not paid. */
  completed_at: z.number(),
  /** What happened to it, in order. */
  timeline: z.array(TopUpEvent),
})
export type TopUp = z.infer<typeof TopUp>

export const listTopUps = endpoint({
  method: 'GET',
  path: '/api/top_up/',
  role: 'admin',
  summary: 'Orders of all users with what happened to them, newest first',
  query: PagesFromOne,
  reply: pageOf(TopUp),
})

export const listSelfTopUps = endpoint({
  method: 'GET',
  path: '/api/top_up/self',
  role: 'user',
  summary: 'Own orders with what happened to them, newest first',
  query: PagesFromOne,
  reply: pageOf(TopUp),
})

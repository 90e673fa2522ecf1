import { z } from 'zod'
import { endpoint, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { numberField, textField } from '#contract/fields.ts'

const TopUpRequest = z.object({
  amount: z.coerce.number().catch(0).meta({
    description:
      'Amount in whole dollars, or in quota units when the options display units. Invalid values count as 0.',
    example: 10,
  }),
  top_up_code: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Ignored; older clients send it.', example: '' }),
})

const PAYMENT_ENVELOPE =
  'The envelope is `{message, data}`: `success` with the data, or `error` with a text as data and a `code`.'

export const quoteTopUp = endpoint({
  method: 'POST',
  path: '/api/user/amount',
  role: 'user',
  organization: 'billing',
  audit: 'none',
  summary: 'Get the price of a top-up',
  description: PAYMENT_ENVELOPE,
  body: TopUpRequest,
  reply: textField('The price, with two decimals.', '73.00'),
  produces: 'application/json',
})

export const payTopUp = endpoint({
  method: 'POST',
  path: '/api/user/pay',
  role: 'user',
  organization: 'billing',
  summary: 'Create a top-up order',
  description: `Returns the form fields to post to the payment provider. ${PAYMENT_ENVELOPE}`,
  body: TopUpRequest.extend({
    payment_method: z
      .string()
      .max(20)
      .default('')
      .meta({ description: '`zfb`: Alipay, `wx`: WeChat Pay.', example: 'zfb' }),
  }),
  reply: z.union([z.record(z.string(), z.string()), z.string()]).meta({
    description: 'Form fields by name, or an error text.',
    example: { pid: '1001', type: 'alipay', money: '73.00' },
  }),
  meta: z.object({
    url: z.string().optional().meta({
      description: 'Address to post the form to; absent on error.',
      example: 'https://pay.example.com/submit.php',
    }),
  }),
  produces: 'application/json',
})

const Notification = z.record(z.string(), textField('A parameter of the easy-pay protocol.', 'TRADE_SUCCESS'))
const notification = {
  path: '/api/user/epay/notify',
  role: 'visitor',
  audit: 'none',
  summary: 'Receive a payment notification',
  description: 'Called by the payment provider, which signs the parameters. Returns `success` or `fail`.',
  query: Notification,
  reply: textField('`success` or `fail`.', 'success'),
  produces: 'text/plain',
} as const
export const notifyTopUp = endpoint({ method: 'GET', ...notification })
/** Some providers post what others write into the query. */
export const notifyTopUpByPost = endpoint({
  method: 'POST',
  ...notification,
  accepts: 'form',
  body: Notification,
})

export const returnFromPayment = endpoint({
  method: 'POST',
  path: '/log',
  role: 'visitor',
  audit: 'none',
  summary: 'Return from a payment by a form',
  description:
    'The address to which browsers return after a payment. Redirects to the page of the same address, which reads no form; the order is credited by the notification alone.',
  accepts: 'form',
  body: Notification,
  produces: 'text/html',
})

export const TopUpEvent = z.object({
  at: numberField('Unix seconds.', 1_760_000_000),
  event: textField(
    '`created`, `sent`, `callback`, `signature`, `asked`, `refused` or `credited`.',
    'credited',
  ),
  detail: textField('Details of the event.', '5000000'),
})
export type TopUpEvent = z.infer<typeof TopUpEvent>

export const TopUp = z
  .object({
    id: numberField('Order id.', 42),
    user_id: numberField('User id.', 7),
    trade_no: textField('Order number at the payment provider.', 'USR7NOa8Kd2x1760000000'),
    quota: numberField('Quota units credited when paid.', 5_000_000),
    money: textField('Price, with two decimals.', '73.00'),
    payment_method: textField('`alipay` or `wxpay`.', 'alipay'),
    status: textField('`pending` or `success`.', 'success'),
    created_at: numberField('Unix seconds of the creation.', 1_760_000_000),
    completed_at: numberField('Unix seconds of the credit; 0: not paid.', 1_760_000_055),
    timeline: z.array(TopUpEvent).meta({ description: 'Events of the order, oldest first.' }),
  })
  .meta({ id: 'TopUp', description: 'A top-up order.' })
export type TopUp = z.infer<typeof TopUp>

export const listTopUps = endpoint({
  method: 'GET',
  path: '/api/top_up/',
  role: 'admin',
  summary: 'List top-up orders of all users',
  description: 'Newest first.',
  query: PagesFromOne,
  reply: pageOf(TopUp),
})

export const listSelfTopUps = endpoint({
  method: 'GET',
  path: '/api/top_up/self',
  role: 'user',
  organization: 'billing',
  summary: 'List your top-up orders',
  description: 'Newest first.',
  query: PagesFromOne,
  reply: pageOf(TopUp),
})

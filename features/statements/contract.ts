import { z } from 'zod'
import { COST, endpoint, IdParams } from '#contract/endpoint.ts'
import { TRANSACTION_KINDS } from '#contract/enums.ts'
import { LocalDays, QueryNumber } from '#contract/fields.ts'

/** A statement covers at most a year and a day. */
export const STATEMENT_SECONDS_MAX = 366 * 86_400
/** Transactions other than charges in one statement. */
export const STATEMENT_ADJUSTMENTS_MAX = 2000

export const BalanceTransaction = z
  .object({
    id: z.string().meta({ description: 'Unique within the statement.', example: 'posting-815' }),
    kind: z.enum(TRANSACTION_KINDS).meta({
      description: '`charge`: all requests of one day; the others are single postings of the ledger.',
      example: 'top_up',
    }),
    created_at: z.number().meta({
      description: 'Unix seconds; for charges the start of their day.',
      example: 1_760_000_000,
    }),
    amount: z.number().meta({
      description: 'Quota units added to the balance; negative ones were taken from it.',
      example: 5_000_000,
    }),
    balance: z.number().meta({
      description: 'Balance afterwards, including what running requests have reserved.',
      example: 7_250_000,
    }),
    requests: z.number().meta({ description: 'Charged requests of the day; 0 otherwise.', example: 0 }),
    detail: z.string().meta({
      description: 'Order number, redemption code id or reason, in the language of the reader.',
      example: 'USR7NOk3sUq1760000000',
    }),
  })
  .meta({ id: 'BalanceTransaction', description: 'A change of a balance.' })
export type BalanceTransaction = z.infer<typeof BalanceTransaction>

export const Statement = z
  .object({
    user_id: z.number().meta({ description: 'User id.', example: 7 }),
    username: z.string().meta({ description: 'User name.', example: 'alice' }),
    start_timestamp: z
      .number()
      .meta({ description: 'First second of the period in Unix seconds.', example: 1_759_276_800 }),
    end_timestamp: z
      .number()
      .meta({ description: 'First second after the period in Unix seconds.', example: 1_761_955_200 }),
    opening: z.number().meta({ description: 'Balance at the start in quota units.', example: 2_500_000 }),
    closing: z.number().meta({ description: 'Balance at the end in quota units.', example: 7_250_000 }),
    credited: z.number().meta({ description: 'Quota units added in the period.', example: 5_000_000 }),
    debited: z.number().meta({
      description: 'Quota units taken in the period without a request.',
      example: 0,
    }),
    charged: z.number().meta({ description: 'Quota units charged for requests.', example: 250_000 }),
    requests: z.number().meta({ description: 'Charged requests.', example: 41 }),
    transactions: z.array(BalanceTransaction).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'Statement', description: 'The transactions of a balance in a period.' })
export type Statement = z.infer<typeof Statement>

const StatementQuery = z.object({
  start_timestamp: QueryNumber.meta({
    description: 'Start in Unix seconds, inclusive. 0: 30 days before the end.',
    example: 1_759_276_800,
  }),
  end_timestamp: QueryNumber.meta({
    description: 'End in Unix seconds, exclusive. 0: now.',
    example: 1_761_955_200,
  }),
  ...LocalDays,
})
export type StatementQuery = z.infer<typeof StatementQuery>

/** Models of one bill; what the others cost is its last line. */
export const BILL_MODELS_MAX = 500
const LINK_DAYS_MAX = 365
export const BILL_LINK_DAYS = 30

export const BillLine = z
  .object({
    model: z.string().meta({
      description: 'Empty in the last line: charges that no model is known of yet.',
      example: 'gpt-5.5',
    }),
    requests: z.number().meta({ description: 'Charged requests.', example: 41 }),
    input_tokens: z.number().meta({ description: 'Input tokens of all kinds.', example: 120_000 }),
    output_tokens: z.number().meta({ description: 'Output tokens of all kinds.', example: 9000 }),
    amount: z.number().meta({ description: 'Quota units.', example: 250_000 }),
  })
  .meta({ id: 'BillLine', description: 'The charges of a model.' })
export type BillLine = z.infer<typeof BillLine>

export const Bill = z
  .object({
    number: z.string().meta({
      description:
        'Month and user id; empty unless the period is a calendar month of the zone `ReportingTimeZone`.',
      example: '202611-7',
    }),
    user_id: z.number().meta({ description: 'User id.', example: 7 }),
    username: z.string().meta({ description: 'User name.', example: 'alice' }),
    start_timestamp: z
      .number()
      .meta({ description: 'First second of the period in Unix seconds.', example: 1_759_276_800 }),
    end_timestamp: z
      .number()
      .meta({ description: 'First second after the period in Unix seconds.', example: 1_761_955_200 }),
    issuer: z.array(z.string()).meta({
      description: 'Name and address of the operator for bills, by line.',
      example: ['Example Ltd.', '1 High Street, London'],
    }),
    is_organization: z.boolean().meta({
      description: 'Whether the account is that of an organisation, with members and projects.',
      example: false,
    }),
    charged: z.number().meta({ description: 'Quota units, the sum of the lines.', example: 250_000 }),
    requests: z.number().meta({ description: 'Charged requests.', example: 41 }),
    lines: z.array(BillLine).meta({ description: `The largest first; at most ${BILL_MODELS_MAX} models.` }),
  })
  .meta({ id: 'Bill', description: 'The charges of a period by model.' })
export type Bill = z.infer<typeof Bill>

const BillLinkInput = z.object({
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
    .meta({ description: 'Calendar month of the zone `ReportingTimeZone`.', example: '2026-11' }),
  days: z
    .number()
    .int()
    .min(1)
    .max(LINK_DAYS_MAX)
    .default(BILL_LINK_DAYS)
    .meta({ description: 'How long the link opens the bill.', example: BILL_LINK_DAYS }),
})

export const BillLink = z
  .object({
    number: z.string().meta({ description: 'Number of the bill.', example: '202611-7' }),
    path: z.string().meta({
      description:
        'Path of the page below the address of the gateway. It proves the right to read this bill.',
      example: '/bill/202611-7?until=1767225600&signature=5f0c',
    }),
    expires_at: z.number().meta({ description: 'Unix seconds.', example: 1_767_225_600 }),
  })
  .meta({ id: 'BillLink', description: 'A link that shows the bill of a month to whoever has it.' })
export type BillLink = z.infer<typeof BillLink>

const description = `At most ${STATEMENT_SECONDS_MAX / 86_400} days and ${STATEMENT_ADJUSTMENTS_MAX} transactions besides charges. Opening balance and transactions add up to the closing balance.`

export const getSelfStatement = endpoint({
  method: 'GET',
  path: '/api/user/statement',
  role: 'user',
  organization: 'billing',
  cost: COST.statistics,
  summary: 'Get the statement of your balance',
  description,
  query: StatementQuery,
  reply: Statement,
})

export const getUserStatement = endpoint({
  method: 'GET',
  path: '/api/user/:id/statement',
  role: 'admin',
  cost: COST.statistics,
  summary: "Get the statement of a user's balance",
  description: `${description} Of users of a lower role and yourself; super administrators of everyone.`,
  params: IdParams,
  query: StatementQuery,
  reply: Statement,
})

const billDescription = `At most ${STATEMENT_SECONDS_MAX / 86_400} days. The lines add up to the charges of the statement.`

export const getSelfBill = endpoint({
  method: 'GET',
  path: '/api/user/bill',
  role: 'user',
  organization: 'billing',
  cost: COST.statistics,
  summary: 'Get your bill by model',
  description: billDescription,
  query: StatementQuery,
  reply: Bill,
})

export const getUserBill = endpoint({
  method: 'GET',
  path: '/api/user/:id/bill',
  role: 'admin',
  cost: COST.statistics,
  summary: "Get a user's bill by model",
  description: `${billDescription} Of users of a lower role and yourself; super administrators of everyone.`,
  params: IdParams,
  query: StatementQuery,
  reply: Bill,
})

const linkDescription =
  'The page is read without signing in. Links cannot be withdrawn: they end by themselves, and with the user.'

export const createSelfBillLink = endpoint({
  method: 'POST',
  path: '/api/user/bill/link',
  role: 'user',
  organization: 'billing',
  summary: 'Create a link to the bill of a month',
  description: linkDescription,
  body: BillLinkInput,
  reply: BillLink,
})

export const createUserBillLink = endpoint({
  method: 'POST',
  path: '/api/user/:id/bill/link',
  role: 'admin',
  summary: "Create a link to a user's bill of a month",
  description: `${linkDescription} For users of a lower role and yourself; super administrators for everyone.`,
  params: IdParams,
  body: BillLinkInput,
  reply: BillLink,
})

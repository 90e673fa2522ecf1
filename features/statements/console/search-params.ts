import { z } from 'zod'
import { RangeSearch } from '#console/app/time/ranges.ts'
import { TRANSACTION_KINDS } from '#contract/enums.ts'

/** What a bill may be grouped by. */
export const BILL_GROUPS = ['model', 'token', 'member', 'project', 'tag'] as const

/** The URL state of the statement: period, kind of transaction, and for administrators the user; empty is the reader. */
export const StatementSearch = z.object({
  ...RangeSearch,
  kind: z
    .enum(['', ...TRANSACTION_KINDS])
    .catch('')
    .default(''),
  /** Empty: transactions. */
  view: z.enum(['', 'bill']).catch('').default(''),
  /** What the lines of the bill are of; `key` names the tag. */
  by: z.enum(BILL_GROUPS).catch('model').default('model'),
  key: z.string().catch('').default(''),
  user: z.string().regex(/^\d*$/).catch('').default(''),
})

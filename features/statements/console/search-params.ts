import { z } from 'zod'
import { RangeSearch } from '#console/app/time/ranges.ts'
import { TRANSACTION_KINDS } from '#contract/enums.ts'

/** The URL state of the statement: period, kind of transaction, and for administrators the user; empty is the reader. */
export const StatementSearch = z.object({
  ...RangeSearch,
  kind: z
    .enum(['', ...TRANSACTION_KINDS])
    .catch('')
    .default(''),
  /** Empty: transactions. */
  view: z.enum(['', 'bill']).catch('').default(''),
  user: z.string().regex(/^\d*$/).catch('').default(''),
})

import { z } from 'zod'

/** `bill` is the id of the open reconciliation. */
export const ReconciliationSearch = z.object({
  bill: z.string().regex(/^\d*$/).catch('').default(''),
})

import { z } from 'zod'
import { SUBSCRIPTION_STATES } from '../../contract/subscription-states.ts'

/** The URL state of the page: the open plan (an id or `new`), and which subscriptions are listed. */
export const SalesSearch = z.object({
  edit: z.string().catch('').default(''),
  state: z
    .enum(['', ...SUBSCRIPTION_STATES])
    .catch('')
    .default(''),
})

export const NEW = 'new'

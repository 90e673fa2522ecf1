import { z } from 'zod'

/** `link`: row, time of expiry and signature. */
export const ReceiptSearch = z.object({ link: z.string().catch('').default('') })

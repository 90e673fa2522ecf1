import { z } from 'zod'

/** `aff` is an invitation code. */
export const RegisterSearch = z.object({ aff: z.string().catch('').default('') })

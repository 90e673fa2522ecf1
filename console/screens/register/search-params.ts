import { z } from 'zod'

/** `aff` is the code of whoever invited the visitor. */
export const RegisterSearch = z.object({ aff: z.string().catch('').default('') })

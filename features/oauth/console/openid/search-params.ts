import { z } from 'zod'

/** The URL state of the page: `edit` is the open sheet, a slug or `new`. */
export const OpenIdSearch = z.object({ edit: z.string().catch('').default('') })
export type OpenIdSearch = z.infer<typeof OpenIdSearch>

export const NEW = 'new'

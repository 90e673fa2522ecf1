import { z } from 'zod'

/** The secret of the invitation. */
export const JoinSearch = z.object({ invitation: z.string().catch('').default('') })

import { z } from 'zod'

const Text = z.string().catch('').default('')

/** What the mailed link carries. */
export const ResetConfirmSearch = z.object({ email: Text, token: Text })

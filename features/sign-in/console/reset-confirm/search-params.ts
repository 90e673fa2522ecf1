import { z } from 'zod'

const Text = z.string().catch('').default('')

/** Params of the emailed link. */
export const ResetConfirmSearch = z.object({ email: Text, token: Text })

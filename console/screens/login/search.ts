import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `expired` shows the notice; `next` is where the visitor was going; `aff` the inviter's code. */
export const LoginSearch = z.object({ expired: Text, next: Text, aff: Text })

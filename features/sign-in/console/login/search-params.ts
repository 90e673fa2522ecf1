import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `expired` shows a notice: `true` that the sign-in expired, `signed-out` that the user was signed out elsewhere; `next` is the page to return to, `aff` is an invitation code. */
export const LoginSearch = z.object({ expired: Text, next: Text, aff: Text })

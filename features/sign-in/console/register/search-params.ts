import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `next` is the page to open after signing in, `aff` is an invitation code. */
export const RegisterSearch = z.object({ next: Text, aff: Text })

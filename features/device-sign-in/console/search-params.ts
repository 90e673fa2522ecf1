import { z } from 'zod'

/** `user_code` is the code that the program shows; empty: the user types it. */
export const DeviceSearch = z.object({ user_code: z.string().catch('').default('') })

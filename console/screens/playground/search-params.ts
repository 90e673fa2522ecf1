import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `model` and `group` are chosen when the page opens; `expired` shows the notice. */
export const PlaygroundSearch = z.object({ model: Text, group: Text, expired: Text })

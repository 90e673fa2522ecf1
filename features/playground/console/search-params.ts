import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `model` and `group` override the stored settings when the page opens; `expired` shows the session notice. */
export const PlaygroundSearch = z.object({ model: Text, group: Text, expired: Text })

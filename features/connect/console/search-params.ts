import { z } from 'zod'

const Text = z.string().catch('').default('')

/** `client` is the id of a client or a language, `token` the id of a token, `model` a name. Empty: the first that fits. */
export const ConnectSearch = z.object({ client: Text, token: Text, model: Text })

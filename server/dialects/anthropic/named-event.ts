import type { JsonObject } from '../../provider-kit/contract/chat.ts'

/** One event, named after the type in its body. */
export const namedEvent = (body: JsonObject): string =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`

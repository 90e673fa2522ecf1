import type { ChatBody } from './chat.ts'
import { partsOf } from './chat-request.ts'
import { addressOf, parseDataUrl } from './media.ts'
import { refuse } from './refuse.ts'

/** For vendors that fetch no pictures. Throws a GatewayError `invalid_request` for one that is not in the body itself. */
export function refuseRemoteImages({ messages }: ChatBody): void {
  for (const part of messages.flatMap(({ content }) => partsOf(content))) {
    if (part.type === 'image_url' && !parseDataUrl(addressOf(part.image_url)))
      refuse('image_url', 'an address', 'a base64 data URL for this vendor')
  }
}

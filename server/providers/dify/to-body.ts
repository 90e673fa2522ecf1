import type { ChatBody, ChatMessage, ContentPart, JsonObject } from '../../provider-kit/chat.ts'
import { partsOf, plainTextOf } from '../../provider-kit/chat-request.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import { addressOf } from '../../provider-kit/media.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { uploadedIdOf } from '../../provider-kit/upload-pictures.ts'
import { appKindOf } from './app-kind.ts'

/**
 * Always a stream: whole answers end after a hundred seconds, and agents give none; the relay gathers the pieces. A caller
 * without a name is a new user each time, so that nobody finds what an application remembers of another.
 */
export function toDifyBody({ body, model, requestId }: Call<ChatBody>): JsonObject {
  const query = toQuery(body.messages)
  const common = {
    response_mode: 'streaming',
    user: userOf({ body, requestId }),
    files: body.messages.flatMap(({ content }) => partsOf(content)).flatMap(toFiles),
  }
  const kind = appKindOf(model)
  if (kind !== 'chat') return { inputs: { query }, ...common }
  return { inputs: {}, query, ...common, auto_generate_name: false }
}

/** Who asks, and whose the uploads are. */
export const userOf = ({ body, requestId }: Pick<Call<ChatBody>, 'body' | 'requestId'>): string =>
  typeof body.user === 'string' ? body.user : requestId

/** An application takes one text. A single question is asked as it is; a conversation is written down in it. */
function toQuery(messages: readonly ChatMessage[]): string {
  const [only, ...more] = messages
  if (only?.role === 'user' && more.length === 0) return plainTextOf(only.content)
  return messages.map(({ role, content }) => `${role.toUpperCase()}: \n${plainTextOf(content)}\n`).join('')
}

function toFiles(part: ContentPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return []
    case 'image_url':
      return [{ type: 'image', transfer_method: 'remote_url', url: addressOf(part.image_url) }]
    case 'file':
      return [{ type: 'image', transfer_method: 'local_file', upload_file_id: uploadedIdOf(part.file) }]
    default:
      return refuse('messages', `a part of type ${part.type}`, 'text and pictures')
  }
}

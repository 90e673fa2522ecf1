import { imageUrlOf, toContentParts, toPlainText, uploadedFileId } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, ContentPart, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { appKindOf } from './app-kind.ts'

/**
 * Always a stream: whole answers end after a hundred seconds, and agents give none; the relay gathers the pieces. A caller
 * without a name is a new user each time, so that nobody finds what an application remembers of another.
 */
export function toDifyBody({ body, model, requestId }: AdapterCall<ChatBody>): JsonObject {
  const query = toQuery(body.messages)
  const common = {
    response_mode: 'streaming',
    user: userOf({ body, requestId }),
    files: body.messages.flatMap(({ content }) => toContentParts(content)).flatMap(toFiles),
  }
  const kind = appKindOf(model)
  if (kind !== 'chat') return { inputs: { query }, ...common }
  return { inputs: {}, query, ...common, auto_generate_name: false }
}

/** Who asks, and whose the uploads are. */
export const userOf = ({ body, requestId }: Pick<AdapterCall<ChatBody>, 'body' | 'requestId'>): string =>
  typeof body.user === 'string' ? body.user : requestId

/** An application takes one text. A single question is asked as it is; a conversation is written down in it. */
function toQuery(messages: readonly ChatMessage[]): string {
  const [only, ...more] = messages
  if (only?.role === 'user' && more.length === 0) return toPlainText(only.content)
  return messages.map(({ role, content }) => `${role.toUpperCase()}: \n${toPlainText(content)}\n`).join('')
}

function toFiles(part: ContentPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return []
    case 'image_url':
      return [{ type: 'image', transfer_method: 'remote_url', url: imageUrlOf(part.image_url) }]
    case 'file':
      return [{ type: 'image', transfer_method: 'local_file', upload_file_id: uploadedFileId(part.file) }]
    default:
      return invalidRequest('messages', `a part of type ${part.type}`, 'text and pictures')
  }
}

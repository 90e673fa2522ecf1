import {
  imageUrlOf,
  sendForm,
  toContentParts,
  toPlainText,
  uploadedFileId,
  uploadImages,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, ContentPart, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  PrepareContext,
  ProviderIo,
} from '../../provider-kit/contract/operation-adapter.ts'
import { upstreamFailed } from '../../provider-kit/failures.ts'
import { asCount, asObject, asString } from '../../provider-kit/json.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'

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

/** What an application is, said by the beginning of the model's name: its API does not tell. */
export type AppKind = 'chat' | 'completion' | 'workflow'

export function appKindOf(model: string): AppKind {
  if (model.startsWith('dify-workflow')) return 'workflow'
  return model.startsWith('dify-completion') ? 'completion' : 'chat'
}

/** A workflow names its outputs as it likes: the only text is the answer, else all of them as JSON. */
export function outputTextOf({ outputs }: JsonObject): string {
  const named = asObject(outputs)
  const [first, ...more] = Object.values(named)
  if (first === undefined) return ''
  return asString(named.text) ?? (more.length === 0 ? asString(first) : undefined) ?? JSON.stringify(named)
}

/** A run tells only the sum; it counts as input. */
export const runUsageOf = ({ total_tokens }: JsonObject): JsonObject => ({
  prompt_tokens: asCount(total_tokens),
})

/** Pictures are uploaded in the name of the user who asks. Source: docs.dify.ai/api-reference/files/file-upload */
export const uploadToDify = (context: PrepareContext<ChatBody>, io: ProviderIo): Promise<ChatBody> =>
  uploadImages(context.body, async file => {
    const { channel } = context
    const fields = { file: file, user: userOf(context) }
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields },
      io,
    )
    return asString(asObject(json).id) ?? upstreamFailed('did not take a picture', { status, json })
  })

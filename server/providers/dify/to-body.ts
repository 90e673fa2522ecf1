import {
  sendForm,
  toContentParts,
  toImageUrl,
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
 * Always streams, since complete responses time out after 100 seconds and agents only stream; the relay collects the
 * chunks. A request without a user gets a new user id, so that an application's memory is never shared between
 * callers.
 */
export function toDifyBody({ body, model, requestId }: AdapterCall<ChatBody>): JsonObject {
  const query = toQuery(body.messages)
  const common = {
    response_mode: 'streaming',
    user: readUser({ body, requestId }),
    files: body.messages.flatMap(({ content }) => toContentParts(content)).flatMap(toFiles),
  }
  const kind = toAppKind(model)
  if (kind !== 'chat') return { inputs: { query }, ...common }
  return { inputs: {}, query, ...common, auto_generate_name: false }
}

/** The user of a request, who also owns its uploads. */
export const readUser = ({ body, requestId }: Pick<AdapterCall<ChatBody>, 'body' | 'requestId'>): string =>
  typeof body.user === 'string' ? body.user : requestId

/** An application takes a single text. One question is sent unchanged; a conversation is written as one text. */
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
      return [{ type: 'image', transfer_method: 'remote_url', url: toImageUrl(part.image_url) }]
    case 'file':
      return [{ type: 'image', transfer_method: 'local_file', upload_file_id: uploadedFileId(part.file) }]
    default:
      return invalidRequest('messages', `a part of type ${part.type}`, 'text and images')
  }
}

/** The kind of an application, from the prefix of the model name, since the API does not report it. */
export type AppKind = 'chat' | 'completion' | 'workflow'

export function toAppKind(model: string): AppKind {
  if (model.startsWith('dify-workflow')) return 'workflow'
  return model.startsWith('dify-completion') ? 'completion' : 'chat'
}

/** Workflows name their outputs freely: a single text is the response, else all outputs as JSON. */
export function readOutputText({ outputs }: JsonObject): string {
  const named = asObject(outputs)
  const [first, ...more] = Object.values(named)
  if (first === undefined) return ''
  return asString(named.text) ?? (more.length === 0 ? asString(first) : undefined) ?? JSON.stringify(named)
}

/** A run reports the total only, which counts as input. */
export const readRunUsage = ({ total_tokens }: JsonObject): JsonObject => ({
  prompt_tokens: asCount(total_tokens),
})

/** Uploads images under the user of the request. Source: docs.dify.ai/api-reference/files/file-upload */
export const uploadToDify = (context: PrepareContext<ChatBody>, io: ProviderIo): Promise<ChatBody> =>
  uploadImages(context.body, async file => {
    const { channel } = context
    const fields = { file: file, user: readUser(context) }
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields },
      io,
    )
    return asString(asObject(json).id) ?? upstreamFailed('did not accept an image', { status, json })
  })

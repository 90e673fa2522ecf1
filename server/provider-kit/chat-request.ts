import type {
  ChatBody,
  ChatMessage,
  ChatTool,
  ContentPart,
  ImageUrl,
  JsonObject,
  ToolCall,
  ToolChoice,
} from './contract/chat.ts'
import type { ChannelView, ProviderIo } from './contract/operation-adapter.ts'
import { asObject, asString, isObject, parseJson } from './json.ts'
import { bearerHeaders } from './transport.ts'
import { invalidRequest } from './validation.ts'

/** For vendors that know tools only. Throws a GatewayError `invalid_request` for OpenAI's first form of them. */
export function rejectLegacyFunctions(body: ChatBody): void {
  if (body.functions || body.messages.some(({ role, function_call }) => role === 'function' || function_call))
    invalidRequest('functions', 'the old form of function calls', '`tools` and messages of the role "tool"')
}

export const isSystemMessage = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

export const toContentParts = (content: ChatMessage['content']): readonly ContentPart[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

/** The function calls of a message. Throws a GatewayError `invalid_request` for calls of a kind that only OpenAI knows. */
export function getFunctionCalls({ tool_calls }: ChatMessage): readonly ToolCall[] {
  const calls = tool_calls ?? []
  if (!calls.every(call => isObject(call.function)))
    invalidRequest('tool_calls', 'a call without a function', 'calls of the type "function"')
  return calls
}

/** The function that a tool declares. Throws a GatewayError `invalid_request` for tools of another kind. */
export const getToolFunction = (tool: ChatTool): ChatTool['function'] =>
  isObject(tool.function)
    ? tool.function
    : invalidRequest(
        'tools',
        `a tool of the type ${JSON.stringify(tool.type)}`,
        'tools of the type "function"',
      )

/** The name of the one function that must be called. Throws a GatewayError `invalid_request` where none is named. */
export const getChosenFunctionName = (choice: Exclude<ToolChoice, string>): string =>
  asString(asObject(choice.function).name) ??
  invalidRequest('tool_choice', `the type ${JSON.stringify(choice.type)}`, 'the type "function" with a name')

/** The arguments of a tool call as an object: `{}` where a model wrote something else. */
export function parseToolArguments(text: string): object {
  const json = parseJson(text)
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {}
}

/** The limit that the client set on an answer. The newer name wins. */
export const readMaxOutputTokens = (body: ChatBody): number | undefined =>
  body.max_completion_tokens ?? body.max_tokens ?? undefined

/** Texts that end an answer, without blank ones, which vendors refuse. */
export function readStopSequences(body: ChatBody): readonly string[] | undefined {
  const stops = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? [])
  const useful = stops.filter(stop => stop.trim() !== '')
  return useful.length > 0 ? useful : undefined
}

/** Names of functions by the ids of their calls: some vendors want the name with the result. */
export const functionNamesByCallId = (messages: readonly ChatMessage[]): ReadonlyMap<string, string> =>
  new Map(messages.flatMap(getFunctionCalls).map(call => [call.id, call.function.name] as const))

/** The text parts of a message, joined. */
export const toPlainText = (content: ChatMessage['content']): string =>
  toContentParts(content)
    .map(part => (part.type === 'text' ? part.text : ''))
    .join('')

/** The texts that a chat request puts before the model, one by one. */
export function chatTexts({ messages }: ChatBody): readonly string[] {
  const texts: string[] = []
  for (const { content } of messages) {
    if (typeof content === 'string') texts.push(content)
    else for (const part of content ?? []) if (part.type === 'text') texts.push(part.text)
  }
  return texts
}

export interface InlineMedia {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/

/** The content of a base64 data URL. Undefined for any other address. */
export function parseDataUrl(url: string): InlineMedia | undefined {
  const match = DATA_URL.exec(url.slice(0, 256))
  return match
    ? { mediaType: match[1] || 'application/octet-stream', data: url.slice(match[0].length) }
    : undefined
}

/** Some clients send the bare address instead of the object. */
export const imageUrlOf = (image: ImageUrl | string): string =>
  typeof image === 'string' ? image : image.url

/** For vendors that fetch no pictures. Throws a GatewayError `invalid_request` for one that is not in the body itself. */
export function rejectRemoteImages({ messages }: ChatBody): void {
  for (const part of messages.flatMap(({ content }) => toContentParts(content))) {
    if (part.type === 'image_url' && !parseDataUrl(imageUrlOf(part.image_url)))
      invalidRequest('image_url', 'an address', 'a base64 data URL for this vendor')
  }
}

const UPLOADED_IMAGES_MAX = 20

/** Gives the vendor's id of a picture that it has taken. */
type Upload = (image: File) => Promise<string>

/**
 * The body with every picture that is in it as base64 uploaded, and named by its id as a part of the type `file`. For vendors that
 * take pictures in no other way. Throws a GatewayError for too many, and what `upload` throws.
 */
export async function uploadImages<Body extends ChatBody>(body: Body, upload: Upload): Promise<Body> {
  let left = UPLOADED_IMAGES_MAX
  const uploaded = async (part: ContentPart): Promise<ContentPart> => {
    const media = part.type === 'image_url' ? parseDataUrl(imageUrlOf(part.image_url)) : undefined
    if (!media) return part
    left -= 1
    if (left < 0)
      invalidRequest('messages', 'more pictures', `at most ${UPLOADED_IMAGES_MAX} as base64 for this vendor`)
    return { type: 'file', file: { file_id: await upload(toFile(media)) } }
  }
  const messages = []
  for (const message of body.messages) {
    const parts = []
    for (const part of toContentParts(message.content)) parts.push(await uploaded(part))
    messages.push(typeof message.content === 'string' ? message : { ...message, content: parts })
  }
  return { ...body, messages }
}

function toFile({ mediaType, data }: InlineMedia): File {
  const name = `picture.${mediaType.replace(/^image\//, '')}`
  return new File([Buffer.from(data, 'base64')], name, { type: mediaType })
}

/** The id of a part of the type `file`. Throws a GatewayError `invalid_request` for a file that was not uploaded as a picture. */
export const uploadedFileId = ({ file_id }: JsonObject): string =>
  asString(file_id) ?? invalidRequest('messages', 'a file', 'text and pictures for this vendor')

interface FormUpload {
  readonly channel: ChannelView
  readonly url: string
  readonly fields: Readonly<Record<string, string | File>>
}

/** Sends a form, as uploads are sent. */
export function sendForm(
  { channel, url, fields }: FormUpload,
  io: ProviderIo,
): ReturnType<ProviderIo['send']> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const { 'content-type': _, ...headers } = bearerHeaders({ channel })
  return io.send({ url, headers, body })
}

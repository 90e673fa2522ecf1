import type { BothLanguages } from '../core/language.ts'
import type {
  ChatBody,
  ChatMessage,
  ChatTool,
  ContentPart,
  ImageUrl,
  ToolCall,
  ToolChoice,
} from './contract/chat.ts'
import { bearerHeaders, type ChannelView, type ProviderIo } from './contract/operation-adapter.ts'
import { parseForWriting } from './exact-numbers.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from './json.ts'
import { A_FILE, A_URL, DATA_URL_FOR_PROVIDER, invalidRequest } from './validation.ts'

/** Throws a GatewayError `invalid_request` for OpenAI's deprecated `functions`, for providers that only know tools. */
export function rejectLegacyFunctions(body: ChatBody): void {
  if (body.functions || body.messages.some(({ role, function_call }) => role === 'function' || function_call))
    invalidRequest(
      'functions',
      { zh: '已弃用的函数调用', en: 'deprecated function calls' },
      { zh: ' `tools` 和角色为 "tool" 的消息', en: '`tools` and messages of the role "tool"' },
    )
}

/** Whether a message instructs the model, under the older or the newer role. */
export const isSystemMessage = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

/** The content of a message as parts. An empty text has none. */
export const toContentParts = (content: ChatMessage['content']): readonly ContentPart[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

/** The function calls of a message. Throws a GatewayError `invalid_request` for call types that only OpenAI has. */
export function getFunctionCalls({ tool_calls }: ChatMessage): readonly ToolCall[] {
  const calls = tool_calls ?? []
  if (!calls.every(call => isObject(call.function)))
    invalidRequest(
      'tool_calls',
      { zh: '没有函数的调用', en: 'a call without a function' },
      { zh: '类型为 "function" 的调用', en: 'calls of the type "function"' },
    )
  return calls
}

/** The function that a tool declares. Throws a GatewayError `invalid_request` for other tool types. */
export const getToolFunction = (tool: ChatTool): ChatTool['function'] =>
  isObject(tool.function)
    ? tool.function
    : invalidRequest(
        'tools',
        {
          zh: `类型为 ${JSON.stringify(tool.type)} 的工具`,
          en: `a tool of the type ${JSON.stringify(tool.type)}`,
        },
        { zh: '类型为 "function" 的工具', en: 'tools of the type "function"' },
      )

/**
 * The name of the function that must be called. Throws a GatewayError `invalid_request` where the choice names none.
 */
export const getChosenFunctionName = (choice: Exclude<ToolChoice, string>): string =>
  asString(asObject(choice.function).name) ??
  invalidRequest(
    'tool_choice',
    { zh: `类型 ${JSON.stringify(choice.type)}`, en: `the type ${JSON.stringify(choice.type)}` },
    { zh: '带名称的 "function" 类型', en: 'the type "function" with a name' },
  )

/** Parses tool call arguments, only for writing them. `{}` where the model wrote anything but a JSON object. */
export function parseToolArguments(text: string): object {
  const json = parseJson(text)
  return isObject(json) ? asObject(parseForWriting(text)) : {}
}

/** The client's output token limit. `max_completion_tokens` takes precedence over `max_tokens`. */
export const readMaxOutputTokens = (body: ChatBody): number | undefined =>
  body.max_completion_tokens ?? body.max_tokens ?? undefined

/** The stop sequences without blank ones, which providers reject. Undefined when none is left. */
export function readStopSequences(body: ChatBody): readonly string[] | undefined {
  const stops = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? [])
  const useful = stops.filter(stop => stop.trim() !== '')
  return useful.length > 0 ? useful : undefined
}

export const readFormatSchema = ({ response_format: format }: ChatBody): JsonObject | undefined =>
  format?.type === 'json_schema' ? (format.json_schema.schema ?? undefined) : undefined

/** The instruction for models and formats without a field for structured output. */
export function formatInstruction(body: ChatBody): string | undefined {
  const schema = readFormatSchema(body)
  if (schema)
    return `Answer with one JSON document that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`
  return body.response_format?.type === 'json_object'
    ? 'Answer with one JSON object and nothing else.'
    : undefined
}

/** Function names by call id, for providers that require the name with the result. */
export const functionNamesByCallId = (messages: readonly ChatMessage[]): ReadonlyMap<string, string> =>
  new Map(messages.flatMap(getFunctionCalls).map(call => [call.id, call.function.name] as const))

const TEXT_ONLY: BothLanguages = {
  zh: '文本（该供应商在此处仅支持文本）',
  en: 'text, the only content that this provider takes here',
}

const notText = ({ type }: ContentPart): BothLanguages => ({
  zh: `类型为 ${type} 的非文本内容`,
  en: `a part of type ${type}, which is not text`,
})

type TextContentPart = Extract<ContentPart, { type: 'text' }>

const isText = (part: ContentPart): part is TextContentPart => part.type === 'text'

/** The parts of a message whose place at the provider holds text only. Throws a GatewayError `invalid_request` for others. */
export const requireTextParts = (content: ChatMessage['content']): readonly TextContentPart[] =>
  toContentParts(content).map(part =>
    isText(part) ? part : invalidRequest('messages', notText(part), TEXT_ONLY),
  )

/** The text of a message that holds nothing else. Throws a GatewayError `invalid_request` for other parts. */
export const toPlainText = (content: ChatMessage['content']): string =>
  requireTextParts(content)
    .map(({ text }) => text)
    .join('')

/** The text parts of a message, concatenated, where the other parts are sent beside them. */
export const joinTextParts = (content: ChatMessage['content']): string =>
  toContentParts(content)
    .filter(isText)
    .map(({ text }) => text)
    .join('')

const IMAGE_FOLLOWS: ContentPart = { type: 'text', text: 'The picture follows in the next message.' }

/**
 * Moves images of tool results into a user message, for providers whose tool messages hold text only. The images follow
 * the last of neighbouring tool results, which must stay together.
 */
export function moveToolImages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const apart: ChatMessage[] = []
  let images: readonly ContentPart[] = []
  const flushImages = (): void => {
    if (images.length > 0) apart.push({ role: 'user', content: images })
    images = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') flushImages()
    const parts = message.role === 'tool' ? toContentParts(message.content) : []
    const found = parts.filter(part => !isText(part))
    images = [...images, ...found]
    apart.push(found.length > 0 ? { ...message, content: textsOrNotice(parts) } : message)
  }
  flushImages()
  return apart
}

function textsOrNotice(parts: readonly ContentPart[]): readonly ContentPart[] {
  const texts = parts.filter(isText)
  return texts.length > 0 ? texts : [IMAGE_FOLLOWS]
}

/** Media inside a body instead of at a URL. */
export interface InlineMedia {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/

/** Parses a base64 data URL. Undefined for any other URL. */
export function parseDataUrl(url: string): InlineMedia | undefined {
  const match = DATA_URL.exec(url.slice(0, 256))
  return match
    ? { mediaType: match[1] || 'application/octet-stream', data: url.slice(match[0].length) }
    : undefined
}

/** Some clients send the bare URL instead of the object. */
export const toImageUrl = (image: ImageUrl | string): string =>
  typeof image === 'string' ? image : image.url

/** Throws a GatewayError `invalid_request` for an image that is not inline, for providers that fetch no URLs. */
export function rejectRemoteImages({ messages }: ChatBody): void {
  for (const part of messages.flatMap(({ content }) => toContentParts(content))) {
    if (part.type === 'image_url' && !parseDataUrl(toImageUrl(part.image_url)))
      invalidRequest('image_url', A_URL, DATA_URL_FOR_PROVIDER)
  }
}

/** The same for files. */
export function rejectRemoteFiles({ messages }: ChatBody): void {
  for (const part of messages.flatMap(({ content }) => toContentParts(content)))
    if (part.type === 'file' && asString(part.file.file_data)?.startsWith('https://'))
      invalidRequest('file', A_URL, DATA_URL_FOR_PROVIDER)
}

const UPLOADED_IMAGES_MAX = 20

/** Uploads one image and returns the provider's id for it. */
type Upload = (image: File) => Promise<string>

/**
 * Uploads every inline base64 image and replaces it with a part of type `file` that holds its id, for providers that
 * accept images in no other way. Throws a GatewayError for more than 20 images, and whatever `upload` throws.
 */
export async function uploadImages<Body extends ChatBody>(body: Body, upload: Upload): Promise<Body> {
  let left = UPLOADED_IMAGES_MAX
  const uploaded = async (part: ContentPart): Promise<ContentPart> => {
    const media = part.type === 'image_url' ? parseDataUrl(toImageUrl(part.image_url)) : undefined
    if (!media) return part
    left -= 1
    if (left < 0)
      invalidRequest(
        'messages',
        { zh: '更多图片', en: 'more images' },
        {
          zh: `不超过 ${UPLOADED_IMAGES_MAX} 张 base64 图片（该供应商的限制）`,
          en: `at most ${UPLOADED_IMAGES_MAX} as base64 for this provider`,
        },
      )
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

/**
 * The id of a part of type `file`. Throws a GatewayError `invalid_request` for a file that is not an uploaded image.
 */
export const uploadedFileId = ({ file_id }: JsonObject): string =>
  asString(file_id) ??
  invalidRequest('messages', A_FILE, {
    zh: '文本和图片（该供应商的限制）',
    en: 'text and images for this provider',
  })

interface FormUpload {
  readonly channel: ChannelView
  readonly url: string
  readonly fields: Readonly<Record<string, string | File>>
}

/** Sends a multipart form with the channel's key. */
export function sendForm(
  { channel, url, fields }: FormUpload,
  io: ProviderIo,
): ReturnType<ProviderIo['send']> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const { 'content-type': _, ...headers } = bearerHeaders({ channel })
  return io.send({ url, headers, body })
}

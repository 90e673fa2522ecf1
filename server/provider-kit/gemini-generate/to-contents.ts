import {
  functionNamesByCallId,
  getFunctionCalls,
  type InlineMedia,
  isSystemMessage,
  parseDataUrl,
  parseToolArguments,
  requireTextParts,
  toContentParts,
  toImageUrl,
} from '../chat-request.ts'
import type { ChatBody, ChatMessage, ContentPart } from '../contract/chat.ts'
import { parseForWriting } from '../exact-numbers.ts'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../json.ts'
import { invalidRequest, URL_OR_DATA_URL } from '../validation.ts'

type Part = JsonObject
interface GeminiTurn {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

const NO_SYSTEM = /^gemma|-image/
const WANTS_SIGNATURE = /^gemini-[3-9]/
/**
 * The documented placeholder for histories without signatures. Source:
 * ai.google.dev/gemini-api/docs/thought-signatures
 */
const SIGNATURE_UNKNOWN = 'skip_thought_signature_validator'
/** A key that Gemini would take for a reference to another part of the request, such as `$ref`. */
const REFERENCE_KEY = /"(?:\$|\\u0024)/
const PLACEHOLDER: Part = { text: '.' }

/**
 * `contents`, and `systemInstruction` where the model supports it. Otherwise the instruction opens the first turn.
 */
export function toGeminiContents(body: ChatBody, model: string): JsonObject {
  const system = body.messages.filter(isSystemMessage).flatMap(({ content }) => requireTextParts(content))
  const text = system.map(part => part.text).join('\n')
  const instruction: readonly Part[] = text === '' ? [] : [{ text }]
  const names = functionNamesByCallId(body.messages)
  const turns = body.messages
    .filter(message => !isSystemMessage(message))
    .map(message => toTurn(message, model, names))
  if (!NO_SYSTEM.test(model))
    return {
      systemInstruction: text === '' ? undefined : { parts: instruction },
      contents: mergeTurns(turns),
    }
  return { contents: mergeTurns([{ role: 'user', parts: instruction }, ...turns]) }
}

function toTurn(message: ChatMessage, model: string, names: ReadonlyMap<string, string>): GeminiTurn {
  if (message.role === 'tool')
    return { role: 'user', parts: [toFunctionResponse(message, names), ...toResultMedia(message)] }
  const parts = toContentParts(message.content).map(toPart).filter(isNotEmpty)
  if (message.role !== 'assistant') return { role: 'user', parts }
  return { role: 'model', parts: [...parts, ...toFunctionCalls(message, model)] }
}

function mergeTurns(turns: readonly GeminiTurn[]): readonly GeminiTurn[] {
  const merged: GeminiTurn[] = []
  for (const turn of turns) {
    if (turn.parts.length === 0) continue
    const last = merged.at(-1)
    if (last?.role === turn.role)
      merged[merged.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else merged.push(turn)
  }
  return merged.length > 0 ? merged : [{ role: 'user', parts: [PLACEHOLDER] }]
}

const isNotEmpty = (part: Part): boolean => part.text !== ''

function toFunctionResponse(message: ChatMessage, names: ReadonlyMap<string, string>): Part {
  const id = message.tool_call_id ?? ''
  const text = toContentParts(message.content)
    .map(part => (part.type === 'text' ? part.text : ''))
    .join('\n')
  const json = REFERENCE_KEY.test(text) ? text : parseJson(text)
  const response = isObject(json) ? parseForWriting(text) : { content: json ?? text }
  return { functionResponse: { name: names.get(id) ?? message.name ?? id, response } }
}

/** Media of a tool result is sent next to its text. */
const toResultMedia = ({ content }: ChatMessage): readonly Part[] =>
  toContentParts(content)
    .filter(({ type }) => type !== 'text')
    .map(toPart)

/**
 * The first call of a step carries the signature that newer models require. It follows the records of the hosted tools that
 * ran before it.
 */
const toFunctionCalls = (message: ChatMessage, model: string): readonly Part[] =>
  getFunctionCalls(message).flatMap((call, index) => {
    const { thought_signature, tool_parts } = asObject(asObject(call.extra_content).google)
    const signed = asString(thought_signature)
    const records = asArray(tool_parts).filter(isToolRecord)
    const signature = signed ?? (index === 0 && WANTS_SIGNATURE.test(model) ? SIGNATURE_UNKNOWN : undefined)
    const functionCall = { name: call.function.name, args: parseToolArguments(call.function.arguments) }
    return [
      ...records,
      signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature },
    ]
  })

/**
 * The contents of a client of Gemini, after turns of other providers: with the placeholder where the first call of a step
 * has no signature, and without signatures of thoughts, which Gemini has on calls and texts. The same list where they fit.
 */
export function withSignatures(contents: readonly unknown[], model: string): readonly unknown[] {
  const isFine = (content: unknown): boolean =>
    !findUnsignedCall(content, model) && !partsOf(content).some(isSignedThought)
  if (contents.every(isFine)) return contents
  return contents.map(content => {
    if (isFine(content)) return content
    const unsigned = findUnsignedCall(content, model)
    const parts = partsOf(content).map(part =>
      part === unsigned
        ? { ...part, thoughtSignature: SIGNATURE_UNKNOWN }
        : isSignedThought(part)
          ? { ...part, thoughtSignature: undefined, thought_signature: undefined }
          : part,
    )
    return { ...asObject(content), parts }
  })
}

const partsOf = (content: unknown): readonly JsonObject[] => asArray(asObject(content).parts).map(asObject)

/** Google reads names in both spellings. */
const isSigned = (part: JsonObject): boolean => Boolean(part.thoughtSignature ?? part.thought_signature)
const isSignedThought = (part: JsonObject): boolean => part.thought === true && isSigned(part)

function findUnsignedCall(content: unknown, model: string): JsonObject | undefined {
  const first = partsOf(content).find(part => part.functionCall ?? part.function_call)
  return first && WANTS_SIGNATURE.test(model) && !isSigned(first) ? first : undefined
}

const isToolRecord = (json: unknown): json is Part =>
  isObject(json) && (isObject(json.toolCall) || isObject(json.toolResponse))

function toPart(part: ContentPart): Part {
  switch (part.type) {
    case 'text':
      return { text: part.text }
    case 'image_url':
      return toMediaPart(toImageUrl(part.image_url))
    case 'input_audio':
      return toInlinePart({ mediaType: `audio/${part.input_audio.format}`, data: part.input_audio.data })
    case 'file':
      return toMediaPart(asString(part.file.file_data) ?? '')
    default:
      return invalidRequest(
        'messages',
        {
          zh: `类型为 "${asString(asObject(part).type)}" 的内容`,
          en: `a content part of the type "${asString(asObject(part).type)}"`,
        },
        { zh: ' text、image_url、input_audio 或 file', en: 'text, image_url, input_audio or file' },
      )
  }
}

/** Newer models read public URLs themselves; older ones report that they cannot. */
function toMediaPart(address: string): Part {
  const inline = parseDataUrl(address)
  if (inline) return toInlinePart(inline)
  if (address.startsWith('https://')) return { fileData: { fileUri: address } }
  return invalidRequest(
    'messages',
    {
      zh: `以 "${address.slice(0, 12)}" 开头的媒体链接`,
      en: `media at a URL that begins with "${address.slice(0, 12)}"`,
    },
    URL_OR_DATA_URL,
  )
}

const toInlinePart = ({ mediaType, data }: InlineMedia): Part => ({
  inlineData: { mimeType: mediaType, data },
})

import { sameInBoth } from '../../core/language.ts'
import {
  getFunctionCalls,
  isSystemMessage,
  parseDataUrl,
  parseToolArguments,
  requireTextParts,
  toContentParts,
  toImageUrl,
} from '../chat-request.ts'
import type { ChatBody, ChatMessage, ContentPart } from '../contract/chat.ts'
import { asString, type JsonObject } from '../json.ts'
import { invalidRequest, URL_OR_DATA_URL } from '../validation.ts'
import { isClaudeSignature } from './foreign-blocks.ts'

type Block = JsonObject
interface AnthropicTurn {
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly Block[]
}

/** Claude requires a user turn first and rejects empty turns. */
const OPENING: AnthropicTurn = { role: 'user', blocks: [{ type: 'text', text: '...' }] }

/** All messages but the system messages, as alternating turns. */
export function toAnthropicMessages(body: ChatBody): readonly JsonObject[] {
  const turns = mergeTurns(body.messages.filter(message => !isSystemMessage(message)).map(toTurn))
  const opened = turns[0]?.role === 'user' ? turns : [OPENING, ...turns]
  return opened.map((turn, index) => ({
    role: turn.role,
    content: toContent(index === opened.length - 1 ? withoutTrailingSpace(turn) : turn),
  }))
}

/** All system messages, wherever they were: one text, or blocks where a cache mark must keep its place. */
export function toAnthropicSystem(body: ChatBody, instruction: string | undefined): unknown {
  const blocks = body.messages
    .filter(isSystemMessage)
    .flatMap(({ content }) => requireTextParts(content).map(toBlock))
    .filter(isNotEmpty)
  const all = instruction === undefined ? blocks : [...blocks, { type: 'text', text: instruction }]
  if (all.length === 0) return undefined
  return all.some(block => block.cache_control) ? all : all.map(block => block.text).join('\n\n')
}

function toTurn(message: ChatMessage): AnthropicTurn {
  const blocks = toContentParts(message.content).map(toBlock).filter(isNotEmpty)
  if (message.role === 'tool') return { role: 'user', blocks: [toToolResult(message)] }
  if (message.role !== 'assistant') return { role: 'user', blocks }
  return { role: 'assistant', blocks: [...toThinkingBlocks(message), ...blocks, ...toToolUses(message)] }
}

/** Merges neighbouring turns of one role, so that the results of parallel calls are sent together. */
function mergeTurns(turns: readonly AnthropicTurn[]): readonly AnthropicTurn[] {
  const merged: AnthropicTurn[] = []
  for (const turn of turns) {
    if (turn.blocks.length === 0) continue
    const last = merged.at(-1)
    if (last?.role === turn.role)
      merged[merged.length - 1] = { ...last, blocks: [...last.blocks, ...turn.blocks] }
    else merged.push(turn)
  }
  return merged
}

/** Claude rejects texts of white space alone. */
const isNotEmpty = (block: Block): boolean =>
  block.type !== 'text' || (asString(block.text) ?? '').trim() !== ''

const toContent = ({ blocks }: AnthropicTurn): unknown => {
  const [only] = blocks
  const isPlain = blocks.length === 1 && only?.type === 'text' && !only.cache_control
  return isPlain ? only.text : blocks
}

/** A reply that Claude is to continue must not end in whitespace. */
function withoutTrailingSpace(turn: AnthropicTurn): AnthropicTurn {
  const last = turn.blocks.at(-1)
  if (turn.role !== 'assistant' || last?.type !== 'text') return turn
  return { ...turn, blocks: [...turn.blocks.slice(0, -1), { ...last, text: asString(last.text)?.trimEnd() }] }
}

/** Thinking is only sent with its signature: Claude rejects thinking that it cannot verify. */
const toThinkingBlocks = ({ reasoning_content, reasoning_signature }: ChatMessage): readonly Block[] =>
  isClaudeSignature(reasoning_signature)
    ? [{ type: 'thinking', thinking: reasoning_content ?? '', signature: reasoning_signature }]
    : []

const toToolUses = (message: ChatMessage): readonly Block[] =>
  getFunctionCalls(message).map(call => ({
    type: 'tool_use',
    id: call.id,
    name: call.function.name,
    input: parseToolArguments(call.function.arguments),
  }))

const toToolResult = ({ tool_call_id, content }: ChatMessage): Block => ({
  type: 'tool_result',
  tool_use_id: tool_call_id ?? '',
  content: Array.isArray(content) ? toContentParts(content).map(toBlock).filter(isNotEmpty) : (content ?? ''),
})

function toBlock(part: ContentPart): Block {
  const mark = part.cache_control ? { cache_control: part.cache_control } : undefined
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...mark }
    case 'image_url':
      return { type: 'image', source: toSource(toImageUrl(part.image_url)), ...mark }
    case 'file':
      return { type: 'document', source: toDocumentSource(part.file), ...mark }
    default:
      return invalidRequest(
        'messages',
        { zh: `类型为 "${part.type}" 的内容`, en: `a content part of the type "${part.type}"` },
        {
          zh: ' text、image_url 或 file（Claude 模型的限制）',
          en: 'text, image_url or file for a Claude model',
        },
      )
  }
}

function toSource(url: string): JsonObject {
  const inline = parseDataUrl(url)
  if (inline) return { type: 'base64', media_type: inline.mediaType, data: inline.data }
  if (/^https?:\/\//.test(url)) return { type: 'url', url: url }
  return invalidRequest(
    'image_url',
    { zh: `以 "${url.slice(0, 12)}" 开头的链接`, en: `a URL that begins with "${url.slice(0, 12)}"` },
    URL_OR_DATA_URL,
  )
}

function toDocumentSource(file: JsonObject): JsonObject {
  const data = asString(file.file_data) ?? ''
  if (data.startsWith('https://')) return { type: 'url', url: data }
  const inline = parseDataUrl(data)
  if (inline?.mediaType === 'application/pdf')
    return { type: 'base64', media_type: inline.mediaType, data: inline.data }
  return invalidRequest(
    'file',
    inline ? sameInBoth(inline.mediaType) : { zh: '空的 file_data', en: 'no file_data' },
    {
      zh: '以 base64 data URL 或 https 链接提供 PDF 的 file_data',
      en: 'file_data with a PDF as a base64 data URL or an https URL',
    },
  )
}

import type { ChatMessage, ContentPart, JsonObject, ToolCall } from '../../provider-kit/contract/chat.ts'
import type { InnerBlockJson as Block, BlockJson, MessageJson, MessagesJson } from './messages-json.ts'

/** The system text and all turns, as messages of the canonical form. */
export const toChatMessages = ({ system, messages }: MessagesJson): readonly ChatMessage[] => [
  ...toSystemMessages(system ?? ''),
  ...messages.flatMap(toMessages),
]

function toSystemMessages(system: NonNullable<MessagesJson['system']>): readonly ChatMessage[] {
  const content = typeof system === 'string' ? system : plainContent(system)
  return content.length > 0 ? [{ role: 'system', content }] : []
}

function toMessages({ role, content }: MessageJson): readonly ChatMessage[] {
  if (typeof content === 'string') return [{ role, content }]
  if (role === 'system') return toSystemMessages(content)
  return role === 'assistant' ? [toAssistantMessage(content)] : toUserMessages(content)
}

/** What tools answered comes before what the user says beside it. */
function toUserMessages(blocks: readonly BlockJson[]): readonly ChatMessage[] {
  const results = blocks.filter(({ type }) => type === 'tool_result').map(toToolMessage)
  const said = blocks.filter(({ type }) => type !== 'tool_result')
  const content = said.length > 0 ? oneText(said) : []
  return content.length > 0 ? [...results, { role: 'user', content }] : results
}

function toToolMessage({ tool_use_id = '', content = '', is_error }: BlockJson): ChatMessage {
  const said = typeof content === 'string' ? content : plainContent(content)
  const mark: ContentPart = { type: 'text', text: 'Error:' }
  const failed = typeof said === 'string' ? `Error: ${said}` : [mark, ...said]
  return { role: 'tool', tool_call_id: tool_use_id, content: is_error ? failed : said }
}

function toAssistantMessage(blocks: readonly Block[]): ChatMessage {
  const said = blocks.filter(({ type }) => type === 'text')
  const thoughts = blocks.filter(({ type }) => type === 'thinking')
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toToolCall)
  const signature = thoughts.findLast(block => block.signature)?.signature
  return {
    role: 'assistant',
    content: said.length > 0 ? oneText(said) : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.map(block => block.thinking).join('') }),
    ...(signature && { reasoning_signature: signature }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const toToolCall = ({ id = '', name = '', input, extra_content }: Block): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
  ...(isKept(extra_content) && { extra_content }),
})

const isKept = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** One text where that is all, so that vendors who know texts only understand it. */
function oneText(blocks: readonly Block[]): string | readonly ContentPart[] {
  const parts = blocks.flatMap(toParts)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' && !only.cache_control ? only.text : parts
}

/** Texts joined line by line; parts where there is more than text, or a cache mark that must keep its place. */
function plainContent(blocks: readonly Block[]): string | readonly ContentPart[] {
  const isPlain = blocks.every(({ type, cache_control }) => type === 'text' && !cache_control)
  return isPlain ? blocks.map(({ text }) => text).join('\n') : blocks.flatMap(toParts)
}

function toParts({ type, text = '', source, cache_control, title }: Block): readonly ContentPart[] {
  const mark = cache_control ? { cache_control } : undefined
  if (type === 'text') return [{ type, text, ...mark }]
  if (!source) return []
  if (source.type === 'text') return [{ type: 'text', text: source.data ?? '', ...mark }]
  const url = source.url ?? `data:${source.media_type ?? ''};base64,${source.data ?? ''}`
  if (type === 'image') return [{ type: 'image_url', image_url: { url }, ...mark }]
  const filename = typeof title === 'string' ? title : 'document.pdf'
  return [{ type: 'file', file: { filename, file_data: url }, ...mark }]
}

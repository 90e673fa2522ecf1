import type { ChatMessage, ContentPart, ToolCall } from '../../provider-kit/contract/chat.ts'
import { isObject } from '../../provider-kit/json.ts'
import type { ItemJson, PartJson, ResponseJson } from './response-json.ts'

/** One turn of the assistant as it is gathered from its items: thoughts, words and calls stand apart here. */
interface Turn {
  reasoning?: string
  signature?: string
  content?: ChatMessage['content']
  readonly calls: ToolCall[]
}

/** The instructions and all items, as messages of the canonical form. */
export function toChatMessages({ instructions, input }: ResponseJson): readonly ChatMessage[] {
  const system: readonly ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : []
  if (typeof input === 'string') return [...system, { role: 'user', content: input }]
  return [...system, ...gatherTurns(input)]
}

function gatherTurns(items: readonly ItemJson[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  let turn: Turn | undefined
  const endTurn = (): void => {
    if (turn) messages.push(toAssistantMessage(turn))
    turn = undefined
  }
  for (const item of items) {
    const other = toOtherMessage(item)
    if (other) {
      endTurn()
      messages.push(other)
      continue
    }
    if (turn && startsTurn(item, turn)) endTurn()
    turn = addToTurn(turn ?? { calls: [] }, item)
  }
  endTurn()
  return messages
}

/** What is not said by the assistant. */
function toOtherMessage({ type, role, content, call_id = '', output }: ItemJson): ChatMessage | undefined {
  if (type === 'function_call_output')
    return { role: 'tool', tool_call_id: call_id, content: toContent(output ?? '') }
  const isSaid = type === 'message' || type === undefined || type === null
  return isSaid && role && role !== 'assistant' ? { role, content: toContent(content ?? '') } : undefined
}

/** A turn thinks, speaks and calls, each at most once and in this order. */
const startsTurn = ({ type }: ItemJson, turn: Turn): boolean =>
  type !== 'function_call' && (turn.content !== undefined || turn.calls.length > 0)

function addToTurn(turn: Turn, item: ItemJson): Turn {
  if (item.type === 'function_call') return { ...turn, calls: [...turn.calls, toToolCall(item)] }
  if (item.type !== 'reasoning') return { ...turn, content: toContent(item.content ?? '') }
  const thoughts = [...(item.summary ?? []), ...(Array.isArray(item.content) ? item.content : [])]
  const reasoning = (turn.reasoning ?? '') + thoughts.map(({ text }) => text ?? '').join('\n')
  const signature = item.encrypted_content ?? turn.signature
  return { ...turn, reasoning, ...(signature && { signature }) }
}

const toAssistantMessage = ({ content, reasoning, signature, calls }: Turn): ChatMessage => ({
  role: 'assistant',
  content: content ?? null,
  ...(reasoning && { reasoning_content: reasoning }),
  ...(signature && { reasoning_signature: signature }),
  ...(calls.length > 0 && { tool_calls: calls }),
})

const toToolCall = ({
  call_id = '',
  name = '',
  arguments: text = '',
  extra_content,
}: ItemJson): ToolCall => ({
  id: call_id,
  type: 'function',
  function: { name, arguments: text },
  ...(isObject(extra_content) && { extra_content }),
})

/** One text where that is all, so that vendors who know texts only understand it. */
function toContent(content: string | readonly PartJson[]): string | readonly ContentPart[] {
  if (typeof content === 'string') return content
  const parts = content.flatMap(toParts)
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function toParts(part: PartJson): readonly ContentPart[] {
  switch (part.type) {
    case 'input_image':
      return part.image_url
        ? [
            {
              type: 'image_url',
              image_url: { url: part.image_url, ...(part.detail && { detail: part.detail }) },
            },
          ]
        : []
    case 'input_file':
      return [
        {
          type: 'file',
          file: { filename: part.filename ?? 'file', file_data: part.file_data ?? part.file_url ?? '' },
        },
      ]
    case 'input_audio':
      return part.input_audio ? [{ type: 'input_audio', input_audio: part.input_audio }] : []
    default:
      return [{ type: 'text', text: part.text ?? part.refusal ?? '' }]
  }
}

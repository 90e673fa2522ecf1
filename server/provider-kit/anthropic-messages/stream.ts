import type { ChatChunk, JsonObject } from '../chat.ts'
import type { StreamPiece, StreamReader } from '../exchange.ts'
import { countOf, isObject, objectOf, parseJson, textOf } from '../json.ts'
import { notJsonFailure, readHiddenFailure } from '../read-failure.ts'
import { readFinish } from './reply.ts'
import { readAnthropicUsage } from './usage.ts'

type Pieces = readonly StreamPiece<ChatChunk>[]
const NOTHING: Pieces = []

/** Reads Claude's named events. Source: docs.claude.com/en/docs/build-with-claude/streaming */
export function openAnthropicStream(): StreamReader<ChatChunk> {
  const tools = openToolBlocks()
  let usage: JsonObject = {}
  let isComplete = false

  const readEvent = (json: JsonObject): Pieces => {
    switch (json.type) {
      case 'message_start': {
        const message = objectOf(json.message)
        usage = { ...objectOf(message.usage) }
        return [{ type: 'start', id: textOf(message.id), model: textOf(message.model) }]
      }
      case 'content_block_start':
        return readBlockStart(json, tools)
      case 'content_block_delta':
        return readBlockDelta(json, tools)
      case 'content_block_stop':
        return tools.close(countOf(json.index))
      case 'message_delta': {
        usage = { ...usage, ...objectOf(json.usage) }
        const reason = objectOf(json.delta).stop_reason
        isComplete ||= Boolean(reason)
        return reason ? [{ type: 'finish', reason: readFinish(reason) }] : NOTHING
      }
      case 'message_stop':
        isComplete = true
        return NOTHING
      case 'error':
        return [{ type: 'failure', failure: readHiddenFailure(json) }]
      default:
        return NOTHING
    }
  }

  return {
    read({ data }) {
      if (data === '') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readEvent(json) : [{ type: 'failure', failure: notJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage: readAnthropicUsage(usage), isComplete }),
  }
}

function readBlockStart(json: JsonObject, tools: ToolBlocks): Pieces {
  const block = objectOf(json.content_block)
  if (block.type === 'tool_use') return [tools.open(countOf(json.index), block)]
  if (block.type === 'text') return textPiece('text-delta', block.text)
  return block.type === 'thinking' ? textPiece('reasoning-delta', block.thinking) : NOTHING
}

function readBlockDelta(json: JsonObject, tools: ToolBlocks): Pieces {
  const delta = objectOf(json.delta)
  switch (delta.type) {
    case 'text_delta':
      return textPiece('text-delta', delta.text)
    case 'thinking_delta':
      return textPiece('reasoning-delta', delta.thinking)
    case 'signature_delta':
      return typeof delta.signature === 'string'
        ? [{ type: 'reasoning-signature', signature: delta.signature }]
        : NOTHING
    case 'input_json_delta':
      return tools.add(countOf(json.index), textOf(delta.partial_json) ?? '')
    default:
      return NOTHING
  }
}

const textPiece = (type: 'text-delta' | 'reasoning-delta', value: unknown): Pieces => {
  const text = textOf(value)
  return text ? [{ type, text }] : NOTHING
}

/**
 * Numbers the tool calls from 0, whatever the numbers of their blocks, and gives those without input an empty object. What
 * Claude writes to tools of its own stays unsaid.
 */
interface ToolBlocks {
  open(block: number, json: JsonObject): StreamPiece<ChatChunk>
  add(block: number, text: string): Pieces
  close(block: number): Pieces
}

function openToolBlocks(): ToolBlocks {
  const calls = new Map<number, { readonly index: number; hasInput: boolean }>()
  return {
    open(block, json) {
      const index = calls.size
      calls.set(block, { index, hasInput: false })
      return {
        type: 'tool-call-start',
        index,
        id: textOf(json.id) ?? '',
        name: textOf(json.name) ?? '',
        arguments: '',
      }
    },
    add(block, text) {
      const call = calls.get(block)
      if (text === '') return NOTHING
      if (!call) return [{ type: 'unsaid-delta', text }]
      call.hasInput = true
      return [{ type: 'tool-arguments-delta', index: call.index, text }]
    },
    close(block) {
      const call = calls.get(block)
      return call && !call.hasInput
        ? [{ type: 'tool-arguments-delta', index: call.index, text: '{}' }]
        : NOTHING
    },
  }
}

import { NO_USAGE, type Usage } from '../../core/usage.ts'
import type { ContentChunk, FinishReason, ToolCallStart } from '../../provider-kit/contract/chat.ts'
import type {
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { toCallName } from './computer-toolset.ts'
import { namedEvent, writeErrorEvent } from './errors.ts'
import { messageHead, toAnthropicUsage, toStopReason } from './reply.ts'

/** Claude returns a single choice. */
const ONLY_CHOICE = 0

const THOUGHTS: ReadonlySet<ContentChunk['type']> = new Set(['reasoning-delta', 'reasoning-signature'])

/** Writes Claude's named events. Source: docs.claude.com/en/docs/build-with-claude/streaming */
export function createMessageWriter(context: ResponseContext): StreamWriter {
  const blocks = createContentBlocks(context.echoedFields)
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (vendorId?: string): string => {
    if (isStarted) return ''
    isStarted = true
    const usage = { ...toAnthropicUsage(NO_USAGE), input_tokens: context.inputTokens }
    return namedEvent({ type: 'message_start', message: { ...messageHead(vendorId, context), usage } })
  }

  const end = (usage: Usage | undefined): string => {
    const delta = { stop_reason: toStopReason(finish, blocks.hasCalls()), stop_sequence: null }
    return (
      start() +
      blocks.close() +
      namedEvent({ type: 'message_delta', delta, usage: toAnthropicUsage(usage ?? NO_USAGE) }) +
      namedEvent({ type: 'message_stop' })
    )
  }

  return {
    write(chunk) {
      if (chunk.type === 'start') return start(chunk.id)
      if ((chunk.choice ?? ONLY_CHOICE) !== ONLY_CHOICE) return ''
      if (chunk.type === 'finish') finish = chunk.reason
      const isHidden = context.echoedFields.hidesThinking === true && THOUGHTS.has(chunk.type)
      return start() + (isHidden ? '' : blocks.write(chunk))
    },
    end,
    fail: error => writeErrorEvent(error, context.requestId),
  }
}

type ToolCallChunk = Extract<ContentChunk, { readonly index: number }>
type BlockKind = 'thinking' | 'text' | 'tool'

/**
 * The content blocks of one streamed response. Only one block is open at a time, and none reopens: where a vendor
 * interleaves the arguments of several calls, later calls wait until the first has ended.
 */
interface ContentBlocks {
  write(piece: ContentChunk): string
  /** Writes the waiting calls and ends the open block. */
  close(): string
  hasCalls(): boolean
}

function createContentBlocks({ hasComputerToolset }: JsonObject): ContentBlocks {
  const waiting = new Map<number, ToolCallChunk[]>()
  let open: { readonly kind: BlockKind; readonly call?: number } | undefined
  let count = 0
  let hasCalls = false

  const endBlock = (): string => {
    if (!open) return ''
    open = undefined
    return namedEvent({ type: 'content_block_stop', index: count - 1 })
  }
  const startBlock = (kind: BlockKind, block: JsonObject, call?: number): string => {
    const ended = endBlock()
    open = { kind, ...(call !== undefined && { call }) }
    count += 1
    return ended + namedEvent({ type: 'content_block_start', index: count - 1, content_block: block })
  }
  const delta = (fields: JsonObject): string =>
    namedEvent({ type: 'content_block_delta', index: count - 1, delta: fields })

  const writeCall = (piece: ToolCallChunk): string => {
    const text = piece.type === 'tool-call-start' ? piece.arguments : piece.text
    const start =
      piece.type === 'tool-call-start'
        ? startBlock('tool', toToolUseStart(piece, hasComputerToolset), piece.index)
        : ''
    return start + (text === '' ? '' : delta({ type: 'input_json_delta', partial_json: text }))
  }
  const writeOrQueueCall = (piece: ToolCallChunk): string => {
    if (open?.kind !== 'tool' || open.call === piece.index) return writeCall(piece)
    const pieces = waiting.get(piece.index) ?? []
    waiting.set(piece.index, [...pieces, piece])
    return ''
  }
  const writeWaiting = (): string => {
    const pieces = [...waiting.values()].flat()
    waiting.clear()
    return pieces.map(writeCall).join('')
  }
  const writeDelta = (kind: 'thinking' | 'text', fields: JsonObject): string => {
    const start = open?.kind === kind ? '' : writeWaiting() + startBlock(kind, EMPTY_BLOCK[kind])
    return start + delta(fields)
  }

  return {
    write(piece) {
      switch (piece.type) {
        case 'text-delta':
        case 'refusal-delta':
        case 'audio-delta':
          return piece.text && writeDelta('text', { type: 'text_delta', text: piece.text })
        case 'reasoning-delta':
          return writeDelta('thinking', { type: 'thinking_delta', thinking: piece.text })
        case 'reasoning-signature':
          return writeDelta('thinking', { type: 'signature_delta', signature: piece.signature })
        case 'tool-call-start':
        case 'tool-arguments-delta':
          hasCalls = true
          return writeOrQueueCall(piece)
        case 'finish':
          return ''
      }
    },
    close: () => writeWaiting() + endBlock(),
    hasCalls: () => hasCalls,
  }
}

const EMPTY_BLOCK = {
  thinking: { type: 'thinking', thinking: '', signature: '' },
  text: { type: 'text', text: '' },
} as const

const toToolUseStart = ({ id, name, extraContent }: ToolCallStart, hasToolset: unknown): JsonObject => ({
  type: 'tool_use',
  id,
  ...toCallName(name, hasToolset),
  input: {},
  ...(extraContent && { extra_content: extraContent }),
})

/** Passes Claude's events through byte for byte, including usage and the end marker. */
export const createPassthrough = ({ requestId }: ResponseContext): StreamPassthrough => ({
  pass: event => event.raw,
  end: () => '',
  fail: error => writeErrorEvent(error, requestId),
})

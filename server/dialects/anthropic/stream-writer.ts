import { NO_USAGE, type Usage } from '../../core/usage.ts'
import type {
  ContentChunk,
  FinishReason,
  ToolCallStart,
  WebSearch,
} from '../../provider-kit/contract/chat.ts'
import type {
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
} from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { toCallName } from './computer-toolset.ts'
import { namedEvent, writeErrorEvent } from './errors.ts'
import { messageHead, toAnthropicUsage, toStopReason } from './reply.ts'
import { searchResult, serverToolUse, toCitation, toSearchId, toSearchInput } from './searches.ts'

/** Claude returns a single choice. */
const ONLY_CHOICE = 0

const THOUGHTS: ReadonlySet<ContentChunk['type']> = new Set(['reasoning-delta', 'reasoning-signature'])

/** Writes Claude's named events. Source: docs.claude.com/en/docs/build-with-claude/streaming */
export function createMessageWriter(context: ResponseContext): StreamWriter {
  const blocks = createContentBlocks(context)
  let finish: FinishReason = 'stop'
  let isStarted = false

  const start = (providerId?: string): string => {
    if (isStarted) return ''
    isStarted = true
    const usage = { ...toAnthropicUsage(NO_USAGE), input_tokens: context.inputTokens }
    return namedEvent({ type: 'message_start', message: { ...messageHead(providerId, context), usage } })
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
type BlockKind = 'thinking' | 'text' | 'tool' | 'search'

/**
 * The content blocks of one streamed response. Only one block is open at a time, and none reopens: where a provider
 * interleaves the arguments of several calls, later calls wait until the first has ended.
 */
interface ContentBlocks {
  write(piece: ContentChunk): string
  /** Writes the waiting calls and ends the open block. */
  close(): string
  hasCalls(): boolean
}

/** Block events with consecutive indexes. */
interface BlockEvents {
  open(): OpenBlock | undefined
  start(kind: BlockKind, block: JsonObject, call?: number): string
  delta(fields: JsonObject): string
  end(): string
}

interface OpenBlock {
  readonly kind: BlockKind
  readonly call?: number
}

function createBlockEvents(): BlockEvents {
  let open: OpenBlock | undefined
  let count = 0
  const end = (): string => {
    if (!open) return ''
    open = undefined
    return namedEvent({ type: 'content_block_stop', index: count - 1 })
  }
  return {
    open: () => open,
    start(kind, block, call) {
      const ended = end()
      open = { kind, ...(call !== undefined && { call }) }
      count += 1
      return ended + namedEvent({ type: 'content_block_start', index: count - 1, content_block: block })
    },
    delta: fields => namedEvent({ type: 'content_block_delta', index: count - 1, delta: fields }),
    end,
  }
}

function createContentBlocks({ requestId, echoedFields }: ResponseContext): ContentBlocks {
  const { hasComputerToolset } = echoedFields
  const { open, start, delta, end } = createBlockEvents()
  const waiting = new Map<number, ToolCallChunk[]>()
  let searchCount = 0
  let hasCalls = false

  const writeCall = (piece: ToolCallChunk): string => {
    const text = piece.type === 'tool-call-start' ? piece.arguments : piece.text
    const started =
      piece.type === 'tool-call-start'
        ? start('tool', toToolUseStart(piece, hasComputerToolset), piece.index)
        : ''
    return started + (text === '' ? '' : delta({ type: 'input_json_delta', partial_json: text }))
  }
  const writeOrQueueCall = (piece: ToolCallChunk): string => {
    if (open()?.kind !== 'tool' || open()?.call === piece.index) return writeCall(piece)
    const pieces = waiting.get(piece.index) ?? []
    waiting.set(piece.index, [...pieces, piece])
    return ''
  }
  const writeWaiting = (): string => {
    const pieces = [...waiting.values()].flat()
    waiting.clear()
    return pieces.map(writeCall).join('')
  }
  /** The input streams, so that clients which collect it from deltas have it too. */
  const writeSearch = (search: WebSearch): string => {
    const id = toSearchId(requestId, searchCount++)
    const started = writeWaiting() + start('search', serverToolUse(id, {}))
    const json = JSON.stringify(toSearchInput(search))
    const input = delta({ type: 'input_json_delta', partial_json: json })
    return started + input + start('search', searchResult(id, search)) + end()
  }
  const writeDelta = (kind: 'thinking' | 'text', fields: JsonObject): string => {
    const started = open()?.kind === kind ? '' : writeWaiting() + start(kind, EMPTY_BLOCK[kind])
    return started + delta(fields)
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
        case 'citation':
          return open()?.kind === 'text'
            ? delta({ type: 'citations_delta', citation: toCitation(piece.citation) })
            : ''
        case 'web-search':
          return writeSearch(piece.search)
        case 'finish':
          return ''
      }
    },
    close: () => writeWaiting() + end(),
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

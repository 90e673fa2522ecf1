import type { ChatChunk, JsonObject, ToolCallStart } from '../../provider-kit/contract/chat.ts'
import { namedEvent } from './named-event.ts'

type Piece = Exclude<ChatChunk, { type: 'start' }>
type CallPiece = Extract<Piece, { readonly index: number }>
type Kind = 'thinking' | 'text' | 'tool'

/**
 * The blocks of one streamed answer. Only one is open at a time, and none opens again: where a vendor mixes the
 * arguments of several calls, the later ones wait until the first is over.
 */
export interface Blocks {
  write(piece: Piece): string
  /** Writes what waits and ends what is open. */
  close(): string
  hasCalls(): boolean
}

export function openBlocks(): Blocks {
  const waiting = new Map<number, CallPiece[]>()
  let open: { readonly kind: Kind; readonly call?: number } | undefined
  let count = 0
  let hasCalls = false

  const endBlock = (): string => {
    if (!open) return ''
    open = undefined
    return namedEvent({ type: 'content_block_stop', index: count - 1 })
  }
  const begin = (kind: Kind, block: JsonObject, call?: number): string => {
    const ended = endBlock()
    open = { kind, ...(call !== undefined && { call }) }
    count += 1
    return ended + namedEvent({ type: 'content_block_start', index: count - 1, content_block: block })
  }
  const delta = (fields: JsonObject): string =>
    namedEvent({ type: 'content_block_delta', index: count - 1, delta: fields })

  const writeCall = (piece: CallPiece): string => {
    const text = piece.type === 'tool-call-start' ? piece.arguments : piece.text
    const begun = piece.type === 'tool-call-start' ? begin('tool', toToolUse(piece), piece.index) : ''
    return begun + (text === '' ? '' : delta({ type: 'input_json_delta', partial_json: text }))
  }
  const takeCall = (piece: CallPiece): string => {
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
  const say = (kind: 'thinking' | 'text', fields: JsonObject): string => {
    const begun = open?.kind === kind ? '' : writeWaiting() + begin(kind, EMPTY_BLOCK[kind])
    return begun + delta(fields)
  }

  return {
    write(piece) {
      switch (piece.type) {
        case 'text-delta':
        case 'refusal-delta':
        case 'audio-delta':
          return piece.text && say('text', { type: 'text_delta', text: piece.text })
        case 'reasoning-delta':
          return say('thinking', { type: 'thinking_delta', thinking: piece.text })
        case 'reasoning-signature':
          return say('thinking', { type: 'signature_delta', signature: piece.signature })
        case 'tool-call-start':
        case 'tool-arguments-delta':
          hasCalls = true
          return takeCall(piece)
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

const toToolUse = ({ id, name, extraContent }: ToolCallStart): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input: {},
  ...(extraContent && { extra_content: extraContent }),
})

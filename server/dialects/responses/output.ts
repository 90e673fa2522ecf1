import type { ChatChunk, JsonObject, ToolCallStart } from '../../provider-kit/contract/chat.ts'
import type { Status } from './items.ts'
import {
  type OpenItem,
  openCall,
  openMessage,
  openReasoning,
  type Place,
  type WriteEvent,
} from './open-item.ts'

type Piece = Exclude<ChatChunk, { type: 'start' }>
type Spoken = 'reasoning' | 'text' | 'refusal'

/** The items of one streamed answer. Words and thoughts end when something else begins; calls may go on side by side. */
export interface Output {
  write(piece: Piece): string
  /** Ends what is open. */
  close(status: Status): string
  /** All items, as they stand at the end. */
  items(status: Status): readonly JsonObject[]
}

export function openOutput(requestId: string, write: WriteEvent): Output {
  const items: OpenItem[] = []
  const calls = new Map<number, OpenItem>()
  let spoken: { readonly kind: Spoken; readonly item: OpenItem } | undefined
  let signature: string | undefined

  const placeOf = (prefix: string): Place => ({
    id: `${prefix}_${requestId}_${items.length}`,
    index: items.length,
  })
  const begin = (item: OpenItem): string => {
    items.push(item)
    return item.begin()
  }
  const endSpoken = (): string => {
    const ended = spoken?.item.end('completed') ?? ''
    spoken = undefined
    return ended
  }
  const endCalls = (): string => {
    const ended = [...calls.values()].map(call => call.end('completed')).join('')
    calls.clear()
    return ended
  }
  const openSpoken = (kind: Spoken): OpenItem => {
    if (kind !== 'reasoning') return openMessage(placeOf('msg'), kind, write)
    signature = undefined
    return openReasoning(placeOf('rs'), () => signature, write)
  }
  const speak = (kind: Spoken, text: string): string => {
    if (spoken?.kind === kind) return spoken.item.add(text)
    const ended = endSpoken() + endCalls()
    spoken = { kind, item: openSpoken(kind) }
    return ended + begin(spoken.item) + spoken.item.add(text)
  }
  const call = ({ index, id, name, arguments: text, extraContent }: ToolCallStart): string => {
    const ended = endSpoken()
    const item = openCall(placeOf('fc'), { callId: id, name, extraContent }, write)
    calls.set(index, item)
    return ended + begin(item) + item.add(text)
  }

  return {
    write(piece) {
      switch (piece.type) {
        case 'text-delta':
        case 'audio-delta':
          return piece.text && speak('text', piece.text)
        case 'refusal-delta':
          return speak('refusal', piece.text)
        case 'reasoning-delta':
          return speak('reasoning', piece.text)
        case 'reasoning-signature': {
          const begun = speak('reasoning', '')
          signature = piece.signature
          return begun
        }
        case 'tool-call-start':
          return call(piece)
        case 'tool-arguments-delta':
          return calls.get(piece.index)?.add(piece.text) ?? ''
        case 'finish':
          return ''
      }
    },
    close(status) {
      const ended = spoken?.item.end(status) ?? ''
      spoken = undefined
      return ended + endCalls()
    },
    items: status =>
      items.map((item, index) => item.finished(index === items.length - 1 ? status : 'completed')),
  }
}

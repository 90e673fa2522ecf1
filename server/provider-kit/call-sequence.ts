import type { ContentChunk } from './contract/chat.ts'

/**
 * Puts the tool calls of a stream one after another, for formats in which one must end before the next begins: where a
 * provider interleaves the arguments of several calls, later calls wait until the first has ended.
 */
export interface CallSequence {
  /** The chunks that can be written now. */
  next(chunk: ContentChunk): readonly ContentChunk[]
  /** The chunks of the calls that still wait when the stream ends. */
  rest(): readonly ContentChunk[]
}

type CallChunk = Extract<ContentChunk, { readonly index: number }>

const isCallChunk = (chunk: ContentChunk): chunk is CallChunk => 'index' in chunk

export function createCallSequence(): CallSequence {
  const waiting = new Map<number, CallChunk[]>()
  let openCall: number | undefined
  const takeWaiting = (): readonly ContentChunk[] => {
    const chunks = [...waiting.values()].flat()
    waiting.clear()
    openCall = undefined
    return chunks
  }
  return {
    next(chunk) {
      if (!isCallChunk(chunk)) return chunk.type === 'finish' ? [chunk] : [...takeWaiting(), chunk]
      openCall ??= chunk.index
      if (chunk.index === openCall) return [chunk]
      waiting.set(chunk.index, [...(waiting.get(chunk.index) ?? []), chunk])
      return []
    },
    rest: takeWaiting,
  }
}

import type { ChatChunk } from './chat.ts'
import type { StreamPiece } from './exchange.ts'

/** Whether a piece of a stream is one that every dialect has words for. */
export const isChunk = (piece: StreamPiece<ChatChunk>) =>
  piece.type !== 'failure' && piece.type !== 'unsaid-delta'

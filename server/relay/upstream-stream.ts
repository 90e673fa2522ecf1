import { elapsedMs } from '../kernel/clock.ts'
import { GatewayError } from '../kernel/errors.ts'
import { believed } from '../kernel/usage.ts'
import type { ChatChunk } from '../provider-kit/chat.ts'
import {
  isSocket,
  type StreamEnd,
  type StreamEvent,
  type StreamPiece,
  type StreamReader,
} from '../provider-kit/exchange.ts'
import { openFraming } from '../provider-kit/framing/open-framing.ts'
import type { Adapted } from './adapt.ts'
import type { RelayTimeouts } from './timeouts.ts'
import type { UpstreamResponse } from './wire/upstream-response.ts'
import { within } from './within.ts'
import { withoutKey } from './without-key.ts'

type Piece = StreamPiece<ChatChunk>

/** One event of an upstream and what it says. */
export interface ReadEvent {
  readonly event: StreamEvent
  readonly pieces: readonly StreamPiece<ChatChunk>[]
}

/** A streamed answer as it comes in, read at the pace of whoever asks for it. */
export interface UpstreamStream {
  /**
   * The events of the next bytes; undefined at the end. Throws GatewayError `upstream_timeout` when nothing comes
   * for too long and `upstream_bad_answer` when the bytes break off.
   */
  next(): Promise<readonly ReadEvent[] | undefined>
  /** Usage and completeness as far as they are known. */
  end(): StreamEnd<ChatChunk>
  /** Ends the upstream call. */
  cancel(): void
}

/**
 * Reads a response by the exchange's framing and reader. A socket may stay open after its answer: the vendor's own end mark
 * ends the reading there.
 */
export function openUpstreamStream(
  response: UpstreamResponse,
  reader: StreamReader<ChatChunk>,
  { channel, framing, request }: Adapted,
  timeouts: RelayTimeouts,
): UpstreamStream {
  const framer = openFraming(framing)
  const told = (piece: Piece): Piece =>
    piece.type === 'failure' ? { ...piece, failure: withoutKey(piece.failure, channel.view.key) } : piece
  const read = (event: StreamEvent): ReadEvent => {
    const pieces = reader.read(event)
    return { event, pieces: pieces.some(({ type }) => type === 'failure') ? pieces.map(told) : pieces }
  }
  let timeoutMs = timeouts.firstEventMs
  const refuseEndless = openPatience(timeouts)
  const isOnSocket = isSocket(request)
  let isOver = false
  const leave = (): void => {
    isOver = true
    response.cancel()
  }
  return {
    async next() {
      if (isOver) return undefined
      const bytes = await within(timeoutMs, response.next())
      timeoutMs = timeouts.idleMs
      if (bytes) {
        const events = framer.push(bytes).map(read)
        refuseEndless(events)
        if (isOnSocket && reader.end().isComplete) leave()
        return events
      }
      isOver = true
      const last = framer.end()
      return last.length > 0 ? last.map(read) : undefined
    },
    end() {
      const { usage, ...end } = reader.end()
      return { ...end, usage: believed(usage) }
    },
    cancel: leave,
  }
}

/** A stream that only keeps itself alive, or never ends, is given up. Throws then. */
function openPatience({ silentMs, streamMs }: RelayTimeouts) {
  const beganAtMs = elapsedMs()
  let spokenAtMs = beganAtMs
  return (events: readonly ReadEvent[]): void => {
    const nowMs = elapsedMs()
    if (events.some(({ pieces }) => pieces.length > 0)) spokenAtMs = nowMs
    if (nowMs - spokenAtMs > silentMs)
      throw new GatewayError('upstream_timeout', `the upstream sent no output for ${inSeconds(silentMs)}`)
    if (nowMs - beganAtMs > streamMs)
      throw new GatewayError(
        'upstream_timeout',
        `the upstream did not end its stream within ${inSeconds(streamMs)}`,
      )
  }
}

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

/** Pieces that are all there already, as a stream of one batch. */
export function streamOfPieces(
  pieces: readonly ChatChunk[],
  end: Omit<StreamEnd<ChatChunk>, 'chunks'>,
): UpstreamStream {
  let left: readonly ReadEvent[] | undefined = [{ event: { data: '', raw: '' }, pieces }]
  return {
    next() {
      const batch = left
      left = undefined
      return Promise.resolve(batch)
    },
    end: () => ({ ...end, chunks: [] }),
    cancel() {
      left = undefined
    },
  }
}

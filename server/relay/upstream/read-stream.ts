import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { plausibleUsage } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import {
  isWebSocket,
  type StreamEnd,
  type StreamEvent,
  type StreamPiece,
  type StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import type { Framer } from '../../provider-kit/framing/text-framing.ts'
import { createFramer } from '../../provider-kit/framing/create-framer.ts'
import type { HttpResponse } from '../http1/http-response.ts'
import { brokenOff, endless, inSeconds } from './network-errors.ts'
import type { Adapted } from './prepare-call.ts'
import { withoutKey } from './redact-key.ts'
import type { RelayTimeouts } from './timeouts.ts'

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
export const openUpstreamStream = (
  response: HttpResponse,
  reader: StreamReader<ChatChunk>,
  adapted: Adapted,
  timeouts: RelayTimeouts,
): UpstreamStream => new IncomingStream({ response, reader, adapted, timeouts })

interface Incoming {
  readonly response: HttpResponse
  readonly reader: StreamReader<ChatChunk>
  readonly adapted: Adapted
  readonly timeouts: RelayTimeouts
}

class IncomingStream implements UpstreamStream {
  private readonly response: HttpResponse
  private readonly framer: Framer
  private readonly reader: StreamReader<ChatChunk>
  private readonly patience: Patience
  private readonly key: string
  private readonly isPassage: boolean
  private readonly isOnSocket: boolean
  private readonly idleMs: number
  /** For the next bytes. */
  private waitMs: number
  private isOver = false

  constructor({ response, reader, adapted, timeouts }: Incoming) {
    this.response = response
    this.waitMs = timeouts.firstEventMs
    this.idleMs = timeouts.idleMs
    this.framer = createFramer(adapted.framing)
    this.reader = reader
    this.patience = new Patience(timeouts)
    this.key = adapted.channel.view.key
    this.isPassage = adapted.isPassage
    this.isOnSocket = isWebSocket(adapted.request)
  }

  async next(): Promise<readonly ReadEvent[] | undefined> {
    if (this.isOver) return undefined
    let bytes: Uint8Array | undefined
    try {
      bytes = await this.response.next(this.waitMs)
    } catch (cause) {
      throw brokenOff(cause)
    }
    this.waitMs = this.idleMs
    return bytes ? this.take(bytes) : this.last()
  }

  end(): StreamEnd<ChatChunk> {
    const { usage, ...end } = this.reader.end()
    return { ...end, usage: plausibleUsage(usage) }
  }

  cancel(): void {
    this.isOver = true
    this.response.cancel()
  }

  private take(bytes: Uint8Array): readonly ReadEvent[] {
    const events = this.readAll(this.framer.push(bytes))
    this.patience.hear(events)
    if (this.isOnSocket && this.reader.end().isComplete) this.cancel()
    return events
  }

  private last(): readonly ReadEvent[] | undefined {
    this.isOver = true
    const events = this.framer.end()
    return events.length > 0 ? this.readAll(events) : undefined
  }

  private readAll(events: readonly StreamEvent[]): readonly ReadEvent[] {
    return events.map(event => ({ event, pieces: this.shown(this.reader.read(event)) }))
  }

  /** Failures without the key, since clients read them, and nothing that the client does not get to see. */
  private shown(pieces: readonly Piece[]): readonly Piece[] {
    if (!pieces.some(isApart)) return pieces
    return pieces
      .filter(({ type }) => this.isPassage || type !== 'unmapped-delta')
      .map(piece =>
        piece.type === 'failure' ? { ...piece, failure: withoutKey(piece.failure, this.key) } : piece,
      )
  }
}

const isApart = ({ type }: Piece): boolean => type === 'failure' || type === 'unmapped-delta'
const saysSomething = ({ pieces }: ReadEvent): boolean => pieces.length > 0

/** With a stream that only keeps itself alive, or never ends. */
class Patience {
  private readonly timeouts: RelayTimeouts
  private readonly beganAtMs = elapsedMs()
  private spokenAtMs = this.beganAtMs

  constructor(timeouts: RelayTimeouts) {
    this.timeouts = timeouts
  }

  /** Throws GatewayError `upstream_timeout` when it has come to its end. */
  hear(events: readonly ReadEvent[]): void {
    const { silentMs, streamMs } = this.timeouts
    const nowMs = elapsedMs()
    if (events.some(saysSomething)) this.spokenAtMs = nowMs
    if (nowMs - this.spokenAtMs > silentMs)
      throw new GatewayError('upstream_timeout', `the upstream sent no output for ${inSeconds(silentMs)}`)
    if (nowMs - this.beganAtMs > streamMs) throw endless(streamMs)
  }
}

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

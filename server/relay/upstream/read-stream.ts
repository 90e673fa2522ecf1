import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import type { Usage } from '../../core/usage.ts'
import type { HttpResponse } from '../../http-client/http1/http-response.ts'
import {
  brokenStream,
  endlessStream,
  inSeconds,
  type RelayTimeouts,
} from '../../http-client/read-response.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import {
  isWebSocket,
  type StreamEnd,
  type StreamEvent,
  type StreamPiece,
  type StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import { createFramer, type Framer } from '../../provider-kit/framing/framers.ts'
import { redactKey } from '../../provider-kit/redact-key.ts'
import type { PreparedCall } from './prepare-call.ts'

/** One event of an upstream stream and the pieces parsed from it. */
export interface ParsedEvent {
  readonly event: StreamEvent
  readonly pieces: readonly StreamPiece<ChatChunk>[]
}

/** The size of events as they were received. Events of a binary stream have no raw text. */
export const countChars = (events: readonly ParsedEvent[]): number =>
  events.reduce((sum, { event: { raw, data } }) => sum + (raw.length || data.length), 0)

/** A streamed response, read at the pace of the consumer. */
export interface UpstreamStream {
  /**
   * The events of the next chunk of bytes; undefined at the end. Throws GatewayError `upstream_timeout` when nothing
   * arrives in time and `upstream_bad_answer` when the connection breaks.
   */
  next(): Promise<readonly ParsedEvent[] | undefined>
  /** Usage and completeness as far as known. */
  end(): StreamEnd<ChatChunk>
  /** Ends the upstream call. */
  cancel(): void
}

/**
 * Reads a response by the adapter's framing and reader. A websocket may stay open after the response, so there the
 * provider's end mark ends the stream.
 */
export const readUpstreamStream = (
  response: HttpResponse,
  reader: StreamReader<ChatChunk>,
  prepared: PreparedCall,
  timeouts: RelayTimeouts,
): UpstreamStream => new IncomingStream({ response, reader, prepared, timeouts })

interface IncomingStreamOptions {
  readonly response: HttpResponse
  readonly reader: StreamReader<ChatChunk>
  readonly prepared: PreparedCall
  readonly timeouts: RelayTimeouts
}

/** Keeps single values of the prepared call instead of the call, whose body would stay in memory with the stream. */
class IncomingStream implements UpstreamStream {
  private readonly response: HttpResponse
  private readonly framer: Framer
  private readonly reader: StreamReader<ChatChunk>
  private readonly deadlines: StreamDeadlines
  private readonly key: string
  private readonly isPassthrough: boolean
  private readonly isOverSocket: boolean
  private readonly idleMs: number
  /** For the next chunk. */
  private timeoutMs: number
  private isOver = false

  constructor({ response, reader, prepared, timeouts }: IncomingStreamOptions) {
    this.response = response
    this.timeoutMs = timeouts.firstEventMs
    this.idleMs = timeouts.idleMs
    this.framer = createFramer(prepared.framing)
    this.reader = reader
    this.deadlines = new StreamDeadlines(timeouts)
    this.key = prepared.channel.view.key
    this.isPassthrough = prepared.isPassthrough
    this.isOverSocket = isWebSocket(prepared.request)
  }

  next(): Promise<readonly ParsedEvent[] | undefined> {
    if (this.isOver) return Promise.resolve(undefined)
    return this.response.next(this.timeoutMs).then(this.onBytes, throwBroken)
  }

  /** One function for all events, since a stream has many. */
  private readonly onBytes = (bytes: Uint8Array | undefined): readonly ParsedEvent[] | undefined => {
    this.timeoutMs = this.idleMs
    return bytes ? this.parse(bytes) : this.parseRest()
  }

  end(): StreamEnd<ChatChunk> {
    return this.reader.end()
  }

  cancel(): void {
    this.isOver = true
    this.response.cancel()
  }

  private parse(bytes: Uint8Array): readonly ParsedEvent[] {
    const events = this.parseEvents(this.framer.push(bytes))
    this.deadlines.check(events)
    if (this.isOverSocket && this.reader.end().isComplete) this.cancel()
    return events
  }

  private parseRest(): readonly ParsedEvent[] | undefined {
    this.isOver = true
    const events = this.framer.end()
    return events.length > 0 ? this.parseEvents(events) : undefined
  }

  private parseEvents(events: readonly StreamEvent[]): readonly ParsedEvent[] {
    return events.map(event => ({ event, pieces: checkPieces(this.toClientPieces(this.reader.read(event))) }))
  }

  /** Redacts the key in failures, and drops deltas that only a passthrough client can see. */
  private toClientPieces(pieces: readonly Piece[]): readonly Piece[] {
    if (!pieces.some(needsCare)) return pieces
    return pieces
      .filter(({ type }) => this.isPassthrough || type !== 'unmapped-delta')
      .map(piece =>
        piece.type === 'failure' ? { ...piece, failure: redactKey(piece.failure, this.key) } : piece,
      )
  }
}

/** Each becomes an event for the client, which is many times as long. */
const PIECES_MAX = 10_000

/** Returns the pieces of one event or response. Throws GatewayError `upstream_bad_answer` for too many. */
export function checkPieces<Pieces extends readonly unknown[]>(pieces: Pieces): Pieces {
  if (pieces.length <= PIECES_MAX) return pieces
  throw new GatewayError('upstream_bad_answer', {
    zh: `上游一次返回了超过 ${PIECES_MAX} 段内容`,
    en: `the upstream sent more than ${PIECES_MAX} parts at once`,
  })
}

function throwBroken(cause: unknown): never {
  throw brokenStream(cause)
}

type Piece = StreamPiece<ChatChunk>

const needsCare = ({ type }: Piece): boolean => type === 'failure' || type === 'unmapped-delta'
const hasOutput = ({ pieces }: ParsedEvent): boolean => pieces.length > 0

/** Ends streams that send only keep-alives or never end. */
class StreamDeadlines {
  private readonly timeouts: RelayTimeouts
  private readonly startedMs = elapsedMs()
  private lastOutputMs = this.startedMs

  constructor(timeouts: RelayTimeouts) {
    this.timeouts = timeouts
  }

  /** Throws GatewayError `upstream_timeout` when a deadline has passed. */
  check(events: readonly ParsedEvent[]): void {
    const { noOutputMs, streamMs } = this.timeouts
    const nowMs = elapsedMs()
    if (events.some(hasOutput)) this.lastOutputMs = nowMs
    if (nowMs - this.lastOutputMs > noOutputMs)
      throw new GatewayError('upstream_timeout', {
        zh: `上游在 ${inSeconds(noOutputMs)} 内没有输出`,
        en: `the upstream sent no output for ${inSeconds(noOutputMs)}`,
      })
    if (nowMs - this.startedMs > streamMs) throw endlessStream(streamMs)
  }
}

/** Presents pieces that are all available as a stream of one batch. */
export function streamFromPieces(
  pieces: readonly ChatChunk[],
  end: Omit<StreamEnd<ChatChunk>, 'chunks'>,
): UpstreamStream {
  let left: readonly ParsedEvent[] | undefined = [{ event: { data: '', raw: '' }, pieces }]
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

/** The provider's headers that clients of its dialect read. */
export type ProviderHeaders = Readonly<Record<string, string>>

/** A response that is passed on byte for byte: audio, or events of a format that only the client parses. */
export interface PassthroughUpstreamResponse {
  readonly kind: 'passthrough'
  readonly contentType: string
  readonly headers?: ProviderHeaders
  /** Bytes read to make sure that there is output. */
  readonly firstBytes: Uint8Array
  /** The bytes are events, whose summary may contain usage. */
  readonly reportsUsage: boolean
  /** The next bytes; undefined at the end. Throws GatewayError when the connection breaks or nothing arrives in time. */
  next(): Promise<Uint8Array | undefined>
  /** Contents of the bytes so far, where they are events. */
  summary(): PassthroughSummary
  cancel(): void
}

interface PassthroughSummary extends Pick<StreamEnd<never>, 'servedModel'> {
  readonly failure: Failure | undefined
  readonly usage: Usage | undefined
  /** False for events without the final one. */
  readonly isComplete: boolean
}

type PassthroughResult = PassthroughUpstreamResponse | { readonly kind: 'failure'; readonly failure: Failure }

/** Chunks without output to keep while waiting for the first output: keep-alives, and parts of one large event. */
const CHUNKS_BEFORE_OUTPUT_MAX = 10_000
const BYTES_BEFORE_OUTPUT_MAX = 64 * MIB

/** Waits for the first output, so that a response that fails earlier can be retried on another channel. */
export async function readPassthrough(
  response: HttpResponse,
  reader: StreamReader<ChatChunk> | undefined,
  timeouts: RelayTimeouts,
): Promise<PassthroughResult> {
  const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
  const eventReader = contentType.includes('event-stream') ? reader : undefined
  const inspector = eventReader ? createEventInspector(eventReader) : createByteInspector()
  const { streamMs } = timeouts
  const deadlineMs = elapsedMs() + streamMs
  const next = async (timeoutMs: number): Promise<Uint8Array | undefined> => {
    const bytes = await response.next(timeoutMs).catch(cause => Promise.reject(brokenStream(cause)))
    if (elapsedMs() > deadlineMs) throw endlessStream(streamMs)
    inspector.inspect(bytes)
    return bytes
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for (let bytes = await next(timeouts.firstEventMs); bytes; bytes = await next(timeouts.idleMs)) {
    chunks.push(bytes)
    size += bytes.byteLength
    if (inspector.hasOutput() || chunks.length === CHUNKS_BEFORE_OUTPUT_MAX) break
    if (size > BYTES_BEFORE_OUTPUT_MAX) break
  }
  const { failure } = inspector.summary()
  if (failure) return { kind: 'failure', failure }
  if (!inspector.hasOutput())
    throw new GatewayError('upstream_bad_answer', {
      zh: '上游结束了响应，但没有任何输出',
      en: 'the upstream ended its response without any output',
    })
  return {
    kind: 'passthrough',
    contentType,
    firstBytes: concatenate(chunks),
    reportsUsage: eventReader !== undefined,
    next: () => next(timeouts.idleMs),
    summary: inspector.summary,
    cancel: () => response.cancel(),
  }
}

const concatenate = (chunks: readonly Uint8Array[]): Uint8Array => {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks)
}

/** Inspects the bytes that pass through. */
interface PassthroughInspector {
  /** `bytes`: undefined at the end. */
  inspect(bytes: Uint8Array | undefined): void
  /** Whether anything came that a client would pay for. */
  hasOutput(): boolean
  summary(): PassthroughSummary
}

function createEventInspector(reader: StreamReader<ChatChunk>): PassthroughInspector {
  const framer = createFramer('sse')
  let failure: Failure | undefined
  let hasOutput = false
  const read = (event: StreamEvent): void => {
    if (failure || event.data === '') return
    const piece = reader.read(event).find(({ type }) => type === 'failure')
    if (piece?.type === 'failure') failure = piece.failure
    else hasOutput = true
  }
  return {
    inspect: bytes => (bytes ? framer.push(bytes) : framer.end()).forEach(read),
    hasOutput: () => hasOutput,
    summary() {
      const { usage, isComplete, servedModel } = reader.end()
      return { failure, usage, isComplete, servedModel }
    },
  }
}

const BYTES_SUMMARY: PassthroughSummary = { failure: undefined, usage: undefined, isComplete: true }

function createByteInspector(): PassthroughInspector {
  let hasOutput = false
  return {
    inspect(bytes) {
      hasOutput ||= bytes !== undefined
    },
    hasOutput: () => hasOutput,
    summary: () => BYTES_SUMMARY,
  }
}

import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { plausibleUsage, type Usage } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type { StreamEvent, StreamReader, Failure } from '../../provider-kit/contract/operation-adapter.ts'
import { createFramer } from '../../provider-kit/framing/create-framer.ts'
import { brokenOff, endless } from './network-errors.ts'
import type { SentAnswer } from './send.ts'
import type { RelayTimeouts } from './timeouts.ts'

/** An answer that is passed on byte for byte: sound, or events of a kind that only the client reads. */
export interface PassedAnswer {
  readonly kind: 'passed'
  readonly contentType: string
  /** Read already, to be sure that an answer has begun. */
  readonly begun: Uint8Array
  /** The next bytes; undefined at the end. Throws GatewayError when they break off or nothing comes for too long. */
  next(): Promise<Uint8Array | undefined>
  /** What was seen in the bytes so far, where they are events. */
  seen(): Seen
  cancel(): void
}

interface Seen {
  readonly failure: Failure | undefined
  readonly usage: Usage | undefined
  /** False for events whose last was not seen. */
  readonly isComplete: boolean
}

type Begun = PassedAnswer | { readonly kind: 'failure'; readonly failure: Failure }

/** Pieces without output that are kept while waiting for the first: keep-alives, and parts of one large event. */
const SILENT_PIECES_MAX = 10_000

/** Waits for the first output, so that an answer which fails before it can still come from another channel. */
export async function beginPassed(
  { response }: SentAnswer,
  reader: StreamReader<ChatChunk> | undefined,
  timeouts: RelayTimeouts,
): Promise<Begun> {
  const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
  const watch = contentType.includes('event-stream') && reader ? openEventWatch(reader) : openByteWatch()
  const { streamMs } = timeouts
  const untilMs = elapsedMs() + streamMs
  const next = async (patienceMs: number): Promise<Uint8Array | undefined> => {
    const value = await response.next(patienceMs).catch(cause => Promise.reject(brokenOff(cause)))
    if (elapsedMs() > untilMs) throw endless(streamMs)
    watch.look(value)
    return value
  }
  const begun: Uint8Array[] = []
  for (let bytes = await next(timeouts.firstEventMs); bytes; bytes = await next(timeouts.idleMs)) {
    begun.push(bytes)
    if (watch.hasOutput() || begun.length === SILENT_PIECES_MAX) break
  }
  const { failure } = watch.seen()
  if (failure) return { kind: 'failure', failure }
  if (!watch.hasOutput())
    throw new GatewayError('upstream_bad_answer', 'the upstream ended its answer before it said anything')
  return {
    kind: 'passed',
    contentType,
    begun: joined(begun),
    next: () => next(timeouts.idleMs),
    seen: watch.seen,
    cancel: () => response.cancel(),
  }
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [only] = pieces
  return only && pieces.length === 1 ? only : Buffer.concat(pieces)
}

/** Sees what passes by. */
interface Watch {
  /** Undefined at the end. */
  look(bytes: Uint8Array | undefined): void
  /** Something came that a client would pay for. */
  hasOutput(): boolean
  seen(): Seen
}

function openEventWatch(reader: StreamReader<ChatChunk>): Watch {
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
    look: bytes => (bytes ? framer.push(bytes) : framer.end()).forEach(read),
    hasOutput: () => hasOutput,
    seen() {
      const { usage, isComplete } = reader.end()
      return { failure, usage: plausibleUsage(usage), isComplete }
    },
  }
}

const NOTHING_TOLD: Seen = { failure: undefined, usage: undefined, isComplete: true }

function openByteWatch(): Watch {
  let hasOutput = false
  return {
    look(bytes) {
      hasOutput ||= bytes !== undefined
    },
    hasOutput: () => hasOutput,
    seen: () => NOTHING_TOLD,
  }
}

import { elapsedMs } from '../kernel/clock.ts'
import { GatewayError } from '../kernel/errors.ts'
import { believed, type Usage } from '../kernel/usage.ts'
import type { ChatChunk } from '../provider-kit/chat.ts'
import type { StreamReader } from '../provider-kit/exchange.ts'
import type { Failure } from '../provider-kit/failure.ts'
import { openFraming } from '../provider-kit/framing/open-framing.ts'
import { brokenOff, endless } from './broken-off.ts'
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

/** Waits for the first bytes, so that an answer which fails before them can still come from another channel. */
export async function beginPassed(
  { response }: SentAnswer,
  reader: StreamReader<ChatChunk> | undefined,
  timeouts: RelayTimeouts,
): Promise<Begun> {
  const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
  const watch = openWatch(contentType.includes('event-stream') ? reader : undefined)
  const { streamMs } = timeouts
  const untilMs = elapsedMs() + streamMs
  const next = async (patienceMs: number): Promise<Uint8Array | undefined> => {
    const value = await response.next(patienceMs).catch(cause => Promise.reject(brokenOff(cause)))
    if (elapsedMs() > untilMs) throw endless(streamMs)
    if (value) watch.look(value)
    return value
  }
  const begun = await next(timeouts.firstEventMs)
  if (!begun)
    throw new GatewayError('upstream_bad_answer', 'the upstream ended its answer before it said anything')
  const { failure } = watch.seen()
  if (failure) return { kind: 'failure', failure }
  return {
    kind: 'passed',
    contentType,
    begun,
    next: () => next(timeouts.idleMs),
    seen: watch.seen,
    cancel: () => response.cancel(),
  }
}

function openWatch(reader: StreamReader<ChatChunk> | undefined) {
  const framer = reader && openFraming('sse')
  let failure: Failure | undefined
  return {
    look(bytes: Uint8Array) {
      for (const event of framer?.push(bytes) ?? []) {
        const piece = reader?.read(event).find(({ type }) => type === 'failure')
        if (piece?.type === 'failure') failure ??= piece.failure
      }
    },
    seen(): Seen {
      const { usage, isComplete } = reader?.end() ?? { usage: undefined, isComplete: true }
      return { failure, usage: believed(usage), isComplete }
    },
  }
}

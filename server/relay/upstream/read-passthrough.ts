import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { plausibleUsage, type Usage } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type { Failure, StreamEvent, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import { createFramer } from '../../provider-kit/framing/create-framer.ts'
import type { HttpResponse } from '../http1/http-response.ts'
import { brokenStream, endlessStream, type RelayTimeouts } from './read-response.ts'

/** A response that is passed on byte for byte: audio, or events of a format that only the client parses. */
export interface PassthroughUpstreamResponse {
  readonly kind: 'passthrough'
  readonly contentType: string
  /** What was read to be sure that there is output. */
  readonly firstBytes: Uint8Array
  /** The next bytes; undefined at the end. Throws GatewayError when the connection breaks or nothing arrives in time. */
  next(): Promise<Uint8Array | undefined>
  /** What the bytes so far contained, where they are events. */
  summary(): PassthroughSummary
  cancel(): void
}

interface PassthroughSummary {
  readonly failure: Failure | undefined
  readonly usage: Usage | undefined
  /** False for events without the final one. */
  readonly isComplete: boolean
}

type PassthroughResult = PassthroughUpstreamResponse | { readonly kind: 'failure'; readonly failure: Failure }

/** Chunks without output to keep while waiting for the first output: keep-alives, and parts of one large event. */
const CHUNKS_BEFORE_OUTPUT_MAX = 10_000

/** Waits for the first output, so that a response that fails earlier can be retried on another channel. */
export async function readPassthrough(
  response: HttpResponse,
  reader: StreamReader<ChatChunk> | undefined,
  timeouts: RelayTimeouts,
): Promise<PassthroughResult> {
  const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
  const inspector =
    contentType.includes('event-stream') && reader ? createEventInspector(reader) : createByteInspector()
  const { streamMs } = timeouts
  const deadlineMs = elapsedMs() + streamMs
  const next = async (timeoutMs: number): Promise<Uint8Array | undefined> => {
    const bytes = await response.next(timeoutMs).catch(cause => Promise.reject(brokenStream(cause)))
    if (elapsedMs() > deadlineMs) throw endlessStream(streamMs)
    inspector.inspect(bytes)
    return bytes
  }
  const chunks: Uint8Array[] = []
  for (let bytes = await next(timeouts.firstEventMs); bytes; bytes = await next(timeouts.idleMs)) {
    chunks.push(bytes)
    if (inspector.hasOutput() || chunks.length === CHUNKS_BEFORE_OUTPUT_MAX) break
  }
  const { failure } = inspector.summary()
  if (failure) return { kind: 'failure', failure }
  if (!inspector.hasOutput())
    throw new GatewayError('upstream_bad_answer', 'the upstream ended its response without any output')
  return {
    kind: 'passthrough',
    contentType,
    firstBytes: concatenate(chunks),
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
      const { usage, isComplete } = reader.end()
      return { failure, usage: plausibleUsage(usage), isComplete }
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

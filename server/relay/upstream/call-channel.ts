import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import { plausibleUsage, type Usage } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type { ResponseKind, StreamPiece, Failure } from '../../provider-kit/contract/operation-adapter.ts'
import { isChatChunk } from '../../provider-kit/reply-chunks.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { readAdapterFailure } from '../../provider-kit/failures.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Operation, RelayRequest } from '../types.ts'
import type { ChannelCall } from '../routing/channel-health.ts'
import { followUnfinished } from './poll-until-done.ts'
import { type Adapted, readerOf } from './prepare-call.ts'
import { beginPassed, type PassedAnswer } from './read-passthrough.ts'
import { openUpstreamStream, type ReadEvent, streamOfPieces, type UpstreamStream } from './read-stream.ts'
import { withoutKey } from './redact-key.ts'
import {
  ANSWER_BYTES_MAX,
  readAnswerBytes,
  readAnswerText,
  type SentAnswer,
  textAtHand,
  tooLarge,
  type Waiter,
} from './send.ts'
import type { ConnectedSocket } from './websocket.ts'

/** Events without output that are kept while waiting for the first: keep-alives of a model that thinks long. */
const SILENT_EVENTS_MAX = 10_000
const SILENT_CHARS_MAX = 64 * MIB
const LEAST_ERROR = 400
/** A redirect or a "not modified" is a failure to us, and no answer that a client could read. */
const NO_ERROR_STATUS = 502

export interface WholeAnswer {
  readonly kind: 'whole'
  readonly reply: unknown
  readonly usage: Usage | undefined
  /** The answer's own bytes, when they are already what the client wants to read. */
  readonly text: string | undefined
}

export interface StreamAnswer {
  readonly kind: 'stream'
  readonly upstream: UpstreamStream
  /** Read already, to be sure that an answer has begun. */
  readonly begun: readonly ReadEvent[]
  /** The events' own bytes are already what the client wants to read. */
  readonly isPassage: boolean
}

export type Answer = WholeAnswer | StreamAnswer | PassedAnswer | ConnectedSocket
export type Tried = Answer | { readonly kind: 'failure'; readonly failure: Failure }

/** What asking a channel takes. */
type Asking = Pick<RelayContext, 'send' | 'connect' | 'timeouts'>

/** Who waits for the answer. */
interface Listener {
  /** Its leaving ends the call. */
  readonly waiter: Waiter
  /** Hears the vendor's first word, whatever it is. Absent: nothing is learnt from it. */
  readonly visit?: Pick<ChannelCall, 'hear'>
}

/** Asks one channel. An answer has begun when this resolves to one; until then another channel may be asked. */
export async function tryChannel(
  order: RelayRequest,
  adapted: Adapted,
  gateway: Asking,
  { waiter, visit }: Listener,
): Promise<Tried> {
  const { timeouts } = gateway
  const { key } = adapted.channel.view
  const isLong = !adapted.call.isStream && !order.operation.isConversation
  const options = {
    waiter,
    waitingSinceMs: order.startedMs,
    headersTimeoutMs: isLong ? timeouts.wholeHeadersMs : timeouts.streamHeadersMs,
    proxy: adapted.channel.view.setting.proxy,
  }
  if (order.operation.isConversation) {
    const connected = await gateway.connect(adapted.request, options)
    if (connected.kind === 'socket') visit?.markFirstByte()
    return hidden(connected, key)
  }
  const sent = await gateway.send(adapted.request, options)
  if (sent.kind === 'failure') return hidden(sent, key)
  visit?.markFirstByte()
  try {
    const reading = sent.response.ok
      ? readGoodStatus({ sent, order, adapted, waiter }, gateway)
      : readBadStatus(sent, adapted, gateway)
    const tried = reading instanceof Promise ? await reading : reading
    if (tried.kind === 'failure') sent.response.cancel()
    return hidden(tried, key)
  } catch (error) {
    sent.response.cancel()
    if (error instanceof GatewayError) return hidden(failed(error), key)
    throw error
  }
}

/** What a failure says is shown to clients. */
const hidden = (tried: Tried, key: string): Tried =>
  tried.kind === 'failure' ? { ...tried, failure: withoutKey(tried.failure, key) } : tried

async function readBadStatus(
  sent: SentAnswer,
  { exchange, channel }: Adapted,
  { timeouts }: Pick<RelayContext, 'timeouts'>,
): Promise<Tried> {
  const { status, headers } = sent.response
  const text = await readAnswerText(sent, timeouts.wholeBodyMs)
  const failure = readAdapterFailure(exchange, status, text, headers)
  const mapped = channel.statusCodeMapping[failure.status]
  if (mapped === undefined) return { kind: 'failure', failure: asError(failure) }
  const { isKeyRevoked } = readAdapterFailure(exchange, mapped, text, headers)
  return { kind: 'failure', failure: asError({ ...failure, status: mapped, isKeyRevoked }) }
}

const asError = (failure: Failure): Failure =>
  failure.status < LEAST_ERROR ? { ...failure, status: NO_ERROR_STATUS } : failure

interface Good {
  readonly sent: SentAnswer
  readonly order: RelayRequest
  readonly adapted: Adapted
  readonly waiter: Waiter
}

function readGoodStatus(good: Good, gateway: Pick<RelayContext, 'send' | 'timeouts'>): Promise<Tried> | Tried {
  const { sent, order, adapted } = good
  const { response } = sent
  const contentType = response.headers.get('content-type') ?? ''
  const kind = adapted.exchange.responseKind?.(adapted.call, contentType) ?? 'json'
  if (kind === 'passthrough') return beginPassed(sent, readerOf(adapted), gateway.timeouts)
  const isJson = contentType.includes('json') && adapted.framing !== 'ndjson'
  const comesInPieces = order.isStream ? !isJson : contentType.includes('event-stream')
  const reader = comesInPieces ? readerOf(adapted) : undefined
  if (!reader || !response.hasBody) return readWhole(good, kind, gateway)
  const upstream = openUpstreamStream(response, reader, adapted, gateway.timeouts)
  return order.isStream ? begin(upstream, adapted.isPassage) : collect(upstream, order)
}

type WholeKind = Exclude<ResponseKind, 'passthrough'>

/** At once, where the answer has come and is all that the vendor is asked for. */
function readWhole(good: Good, kind: WholeKind, gateway: Pick<RelayContext, 'send' | 'timeouts'>) {
  if (kind === 'bytes' || good.adapted.exchange.nextPoll) return waitForWhole(good, kind, gateway)
  const text = textAtHand(good.sent)
  return text === undefined ? waitForWhole(good, kind, gateway) : readReply(good, readAs(kind, text))
}

async function waitForWhole(
  good: Good,
  kind: WholeKind,
  gateway: Pick<RelayContext, 'send' | 'timeouts'>,
): Promise<Tried> {
  const { sent, adapted, waiter } = good
  const { wholeBodyMs } = gateway.timeouts
  const read =
    kind === 'bytes'
      ? { answer: await readAnswerBytes(sent, wholeBodyMs), text: undefined }
      : readAs(kind, await readAnswerText(sent, wholeBodyMs))
  if (!adapted.exchange.nextPoll) return readReply(good, read)
  const last = await followUnfinished(read.answer, adapted, gateway, waiter)
  return last.kind === 'failure' ? last : readReply(good, { ...read, answer: last.answer })
}

interface ReadAnswer {
  readonly answer: unknown
  /** Undefined for an answer that is no text. */
  readonly text: string | undefined
}

function readReply({ order, adapted }: Good, { answer, text }: ReadAnswer): Promise<Tried> | Tried {
  const { exchange, call, isPassage } = adapted
  const replied = exchange.reply(answer, call)
  if (replied.kind === 'failure') return replied
  const { reply } = replied
  const usage = plausibleUsage(replied.usage)
  const { toChunks } = order.operation
  if (order.isStream && toChunks)
    return begin(streamOfPieces(toChunks(reply), { usage, isComplete: true }), false)
  return { kind: 'whole', reply, usage, text: isPassage ? text : undefined }
}

function readAs(kind: 'json' | 'text', text: string): ReadAnswer {
  if (kind === 'text') return { answer: text, text }
  const answer = parseJson(text)
  if (answer === undefined)
    throw new GatewayError('upstream_bad_answer', 'the upstream answered with something else than JSON')
  return { answer, text }
}

/** Reads until output or the end is in sight, so that an error before it can still be answered by another channel. */
async function begin(upstream: UpstreamStream, isPassage: boolean): Promise<Tried> {
  const begun: ReadEvent[] = []
  let chars = 0
  for (let events = await upstream.next(); events; events = await upstream.next()) {
    begun.push(...events)
    const first = events.flatMap(event => event.pieces).find(piece => piece.type !== 'start')
    if (first?.type === 'failure') return { kind: 'failure', failure: first.failure }
    if (first) return { kind: 'stream', upstream, begun, isPassage }
    chars += charsIn(events)
    if (begun.length > SILENT_EVENTS_MAX || chars > SILENT_CHARS_MAX) break
  }
  return endedAtOnce(upstream)
}

/** Events of a binary stream have no raw text. */
const charsIn = (events: readonly ReadEvent[]): number =>
  events.reduce((sum, { event: { raw, data } }) => sum + (raw.length || data.length), 0)

function endedAtOnce(upstream: UpstreamStream): Tried {
  const failure = upstream.end().chunks.find(piece => piece.type === 'failure')
  return failure
    ? { kind: 'failure', failure: failure.failure }
    : failed(new GatewayError('upstream_bad_answer', 'the upstream ended its stream before it said anything'))
}

type Collector = ReturnType<NonNullable<Operation['createCollector']>>

/** A stream although a whole answer was asked for: gathered, then answered whole. */
async function collect(upstream: UpstreamStream, order: RelayRequest): Promise<Tried> {
  const collector = order.operation.createCollector?.()
  if (!collector)
    throw new GatewayError(
      'upstream_bad_answer',
      'the upstream answered with a stream, a whole answer was asked for',
    )
  const told = await gatherAll(upstream, collector)
  if (told) return { kind: 'failure', failure: told }
  const { chunks, usage, isComplete } = upstream.end()
  const failure = gather(collector, chunks)
  if (failure) return { kind: 'failure', failure }
  if (!isComplete) throw new GatewayError('upstream_bad_answer', 'the upstream broke off its answer')
  return { kind: 'whole', reply: collector.reply(), usage, text: undefined }
}

/** Gives the failure that the stream told. Throws GatewayError when there is more of it than we are ready to hold. */
async function gatherAll(upstream: UpstreamStream, collector: Collector): Promise<Failure | undefined> {
  let chars = 0
  for (let events = await upstream.next(); events; events = await upstream.next()) {
    chars += charsIn(events)
    if (chars > ANSWER_BYTES_MAX) throw tooLarge()
    const pieces = events.flatMap(event => event.pieces)
    const failure = gather(collector, pieces)
    if (failure) return failure
  }
  return undefined
}

/** Gives the failure after which nothing more is to be read. */
function gather(collector: Collector, pieces: readonly StreamPiece<ChatChunk>[]): Failure | undefined {
  for (const piece of pieces) {
    if (piece.type === 'failure') return piece.failure
    if (isChatChunk(piece)) collector.add(piece)
  }
  return undefined
}

const failed = ({ status, code, message }: GatewayError): Tried => ({
  kind: 'failure',
  failure: { status, code, message },
})

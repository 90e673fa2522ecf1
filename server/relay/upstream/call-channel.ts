import type { CancelSignal } from '../../core/cancel-signal.ts'
import { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import { MIB } from '../../core/limits.ts'
import type { Usage } from '../../core/usage.ts'
import type { HttpResponse } from '../../http-client/http1/http-response.ts'
import {
  RESPONSE_BYTES_MAX,
  type RelayTimeouts,
  readResponseBytes,
  readResponseText,
  responseTooLarge,
} from '../../http-client/read-response.ts'
import { type Connect, connectionOwner, type Send } from '../../http-client/send.ts'
import type { SocketUpstreamResponse } from '../../http-client/websocket.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type {
  AccountHandles,
  ResponseKind,
  StreamPiece,
} from '../../provider-kit/contract/operation-adapter.ts'
import { parseExact } from '../../provider-kit/exact-numbers.ts'
import { readServedModel } from '../../provider-kit/extra-usage.ts'
import { type Failure, readAdapterFailure } from '../../provider-kit/failures.ts'
import { isObject, parseJson } from '../../provider-kit/json.ts'
import { redactKey } from '../../provider-kit/redact-key.ts'
import { isChatChunk } from '../../provider-kit/reply-chunks.ts'
import { toMeantUsage } from '../../provider-kit/rules/usage-semantics.ts'
import type { ChannelCall } from '../routing/channel-health.ts'
import type { ModelOperation, RelayRequest } from '../types.ts'
import { pollUntilDone } from './poll-until-done.ts'
import { createStreamReader, type PreparedCall } from './prepare-call.ts'
import {
  checkPieces,
  countChars,
  type ParsedEvent,
  type PassthroughUpstreamResponse,
  type ProviderHeaders,
  readPassthrough,
  readUpstreamStream,
  streamFromPieces,
  type UpstreamStream,
} from './read-stream.ts'

/** A complete response, of JSON in most operations. */
export interface JsonUpstreamResponse {
  readonly kind: 'json'
  readonly reply: unknown
  readonly usage: Usage | undefined
  /** The model that served, as the provider's JSON names it. */
  readonly servedModel?: string | undefined
  readonly handles?: AccountHandles | undefined
  readonly headers?: ProviderHeaders
  /** The provider's own bytes when they already are what the client expects. */
  readonly text: string | undefined
}

export interface StreamedUpstreamResponse {
  readonly kind: 'stream'
  readonly stream: UpstreamStream
  /** Bytes read to make sure that there is output. */
  readonly firstEvents: readonly ParsedEvent[]
  /** The provider's own events already are what the client expects. */
  readonly isPassthrough: boolean
  readonly headers?: ProviderHeaders
}

export type UpstreamResponse =
  | JsonUpstreamResponse
  | StreamedUpstreamResponse
  | PassthroughUpstreamResponse
  | SocketUpstreamResponse

export type CallResult = UpstreamResponse | CallFailure
type CallFailure = { readonly kind: 'failure'; readonly failure: Failure }

export interface CallDeps {
  readonly send: Send
  readonly connect: Connect
  readonly timeouts: RelayTimeouts
}

interface CallOptions {
  /** The call is cancelled when its signal aborts. */
  readonly signal: CancelSignal
  /** Learns of the first byte of a response. */
  readonly health?: Pick<ChannelCall, 'markFirstByte'>
}

/** Calls one channel. Until a response with output begins, the result is a failure, so another channel may be tried. */
export async function callChannel(
  request: RelayRequest,
  prepared: PreparedCall,
  deps: CallDeps,
  options: CallOptions,
): Promise<CallResult> {
  const result = request.operation.converse
    ? await openConversation(prepared, deps, options)
    : await sendRequest(request, prepared, deps, options)
  // Clients see failures, and providers may quote the key in them.
  return result.kind === 'failure'
    ? { ...result, failure: redactKey(result.failure, prepared.channel.view.key) }
    : result
}

async function openConversation(
  prepared: PreparedCall,
  { connect, timeouts }: CallDeps,
  { signal, health }: CallOptions,
): Promise<CallResult> {
  const result = await connect(prepared.request, {
    signal,
    headersTimeoutMs: timeouts.streamHeadersMs,
    proxy: prepared.channel.view.setting.proxy,
  })
  if (result.kind === 'socket') health?.markFirstByte()
  return result
}

async function sendRequest(
  request: RelayRequest,
  prepared: PreparedCall,
  deps: CallDeps,
  { signal, health }: CallOptions,
): Promise<CallResult> {
  const { jsonHeadersMs, streamHeadersMs } = deps.timeouts
  const sent = await deps.send(prepared.request, {
    signal,
    headersTimeoutMs: prepared.call.isStream ? streamHeadersMs : jsonHeadersMs,
    proxy: prepared.channel.view.setting.proxy,
    owner: connectionOwner(prepared.channel.view),
  })
  if (sent.kind === 'failure') return sent
  health?.markFirstByte()
  const { response } = sent
  try {
    const result = response.ok
      ? await readSuccess({ response, request, prepared, signal }, deps)
      : await readErrorStatus(response, prepared, deps)
    if (result.kind === 'failure') response.cancel()
    return withResponseHeaders(result, request, prepared, response)
  } catch (error) {
    response.cancel()
    if (error instanceof GatewayError) return toCallFailure(error)
    throw error
  }
}

const DROPPED_TOOLS_HEADER = 'x-tollgate-dropped-tools'

/** Adds the headers that the client would read if it called the provider itself, and the tools that it did not get. */
function withResponseHeaders(
  result: CallResult,
  { client }: RelayRequest,
  { adapter, droppedTools }: PreparedCall,
  { headers }: HttpResponse,
): CallResult {
  if (result.kind === 'failure' || result.kind === 'socket') return result
  const isOwnFormat = adapter.nativeFormat === client.name
  if (!isOwnFormat && !droppedTools) return result
  const picked: Record<string, string> = {}
  for (const name of isOwnFormat ? (client.providerHeaders ?? []) : []) {
    const value = headers.get(name)
    if (value !== null) picked[name] = value
  }
  if (droppedTools) picked[DROPPED_TOOLS_HEADER] = droppedTools.join(', ')
  return { ...result, headers: picked }
}

const toCallFailure = ({ status, code, message, messageZh }: GatewayError): CallFailure => ({
  kind: 'failure',
  failure: { status, code, message, messageZh },
})

const ERROR_STATUS_MIN = 400
/** Stands for a redirect or a "not modified", which a client could not use. */
const STATUS_BAD_GATEWAY = 502

async function readErrorStatus(
  response: HttpResponse,
  { adapter, channel }: PreparedCall,
  { timeouts }: Pick<CallDeps, 'timeouts'>,
): Promise<CallFailure> {
  const { status, headers } = response
  const text = await readResponseText({ response }, timeouts.jsonBodyMs)
  const failure = readAdapterFailure(adapter, status, text, headers)
  const mapped = channel.statusCodeMapping[failure.status]
  if (mapped === undefined) return { kind: 'failure', failure: withErrorStatus(failure) }
  const { isKeyRevoked } = readAdapterFailure(adapter, mapped, text, headers)
  return { kind: 'failure', failure: withErrorStatus({ ...failure, status: mapped, isKeyRevoked }) }
}

const withErrorStatus = (failure: Failure): Failure =>
  failure.status < ERROR_STATUS_MIN ? { ...failure, status: STATUS_BAD_GATEWAY } : failure

interface SuccessfulCall {
  readonly response: HttpResponse
  readonly request: RelayRequest
  readonly prepared: PreparedCall
  readonly signal: CancelSignal
}

async function readSuccess(call: SuccessfulCall, deps: CallDeps): Promise<CallResult> {
  const { response, request, prepared } = call
  const contentType = response.headers.get('content-type') ?? ''
  const kind = prepared.adapter.responseKind?.(prepared.call, contentType) ?? 'json'
  if (kind === 'passthrough') return readPassthrough(response, createStreamReader(prepared), deps.timeouts)
  const isJson = contentType.includes('json') && prepared.framing !== 'ndjson'
  const isStreamed = request.isStream ? !isJson : contentType.includes('event-stream')
  const reader = isStreamed ? createStreamReader(prepared) : undefined
  if (!reader || !response.hasBody) return readComplete(call, kind, deps)
  const stream = readUpstreamStream(response, reader, prepared, deps.timeouts)
  return request.isStream
    ? waitForOutput(stream, prepared.isPassthrough)
    : collectStream(stream, request.operation)
}

interface CompleteBody {
  readonly value: unknown
  /** Undefined for a binary body. */
  readonly text: string | undefined
}

/** Vectors and log probabilities have many numbers for each token. */
const DENSE_ELEMENTS_MAX = 10_000_000

const elementsMaxOf = ({ operation, body }: RelayRequest): number | undefined =>
  operation.name === 'embeddings' || body.logprobs || body.top_logprobs ? DENSE_ELEMENTS_MAX : undefined

/** Reads a response that is not a stream. A provider that works asynchronously is polled until it is done. */
async function readComplete(
  call: SuccessfulCall,
  kind: Exclude<ResponseKind, 'passthrough'>,
  deps: CallDeps,
): Promise<CallResult> {
  const body = await readBody(call, kind, deps.timeouts.jsonBodyMs)
  if (!call.prepared.adapter.nextPoll) return toResponse(call, body)
  const last = await pollUntilDone(body.value, call.prepared, deps, call.signal)
  return last.kind === 'failure' ? last : toResponse(call, { ...body, value: last.response })
}

async function readBody(
  { response, request, prepared }: SuccessfulCall,
  kind: Exclude<ResponseKind, 'passthrough'>,
  timeoutMs: number,
): Promise<CompleteBody> {
  if (kind === 'bytes') return { value: await readResponseBytes({ response }, timeoutMs), text: undefined }
  const text = await readResponseText({ response }, timeoutMs, elementsMaxOf(request))
  if (kind === 'text') return { value: text, text }
  const value = prepared.isPassthrough ? parseJson(text) : parseExact(text)
  if (value === undefined)
    throw badResponse({ zh: '上游响应不是有效的 JSON', en: 'the upstream response is not valid JSON' })
  return { value, text }
}

async function toResponse(
  { request, prepared }: SuccessfulCall,
  { value, text }: CompleteBody,
): Promise<CallResult> {
  const { adapter, call, isPassthrough } = prepared
  const result = adapter.reply(value, call)
  if (result.kind === 'failure') return result
  const { reply } = result
  const { handles } = result
  const usage = toMeantUsage(result.usage, prepared)
  const { toChunks } = request.operation
  // The provider does not stream: the client gets the complete response as a stream.
  if (request.isStream && toChunks) {
    const chunks = checkPieces(toChunks(reply))
    return waitForOutput(streamFromPieces(chunks, { usage, isComplete: true, handles }), false)
  }
  return {
    kind: 'json',
    reply,
    usage,
    servedModel: readServedModel(value),
    handles,
    text: isPassthrough ? toClientText(request, value, text) : undefined,
  }
}

/** The provider's own text, unless it deviates from the dialect. */
function toClientText(
  { dialect, requestId }: RelayRequest,
  value: unknown,
  text: CompleteBody['text'],
): CompleteBody['text'] {
  const standard = isObject(value) && dialect.toStandardReply?.(value, requestId)
  return standard && standard !== value ? JSON.stringify(standard) : text
}

/** Events without output to keep while waiting for the first output: keep-alives of a model that thinks long. */
const EVENTS_BEFORE_OUTPUT_MAX = 10_000
const CHARS_BEFORE_OUTPUT_MAX = 64 * MIB

/** Reads until the first output or the end, so that an error before it can be retried on another channel. */
async function waitForOutput(stream: UpstreamStream, isPassthrough: boolean): Promise<CallResult> {
  const firstEvents: ParsedEvent[] = []
  let chars = 0
  for (let events = await stream.next(); events; events = await stream.next()) {
    firstEvents.push(...events)
    const output = events.flatMap(event => event.pieces).find(piece => piece.type !== 'start')
    if (output?.type === 'failure') return { kind: 'failure', failure: output.failure }
    if (output) return { kind: 'stream', stream, firstEvents, isPassthrough }
    chars += countChars(events)
    if (firstEvents.length > EVENTS_BEFORE_OUTPUT_MAX || chars > CHARS_BEFORE_OUTPUT_MAX) break
  }
  const failure = stream.end().chunks.find(piece => piece.type === 'failure')
  if (failure) return { kind: 'failure', failure: failure.failure }
  throw badResponse({
    zh: '上游结束了流式响应，但没有任何输出',
    en: 'the upstream ended its stream without any output',
  })
}

type Collector = ReturnType<NonNullable<ModelOperation['createCollector']>>

/** The provider streamed although JSON was requested: collects the stream into one response. */
async function collectStream(stream: UpstreamStream, operation: ModelOperation): Promise<CallResult> {
  const collector = operation.createCollector?.()
  if (!collector)
    throw badResponse({
      zh: '请求的是 JSON，上游却返回了流式响应',
      en: 'the upstream sent a stream although JSON was requested',
    })
  const failure = await collectEvents(stream, collector)
  if (failure) return { kind: 'failure', failure }
  const { chunks, usage, isComplete, handles } = stream.end()
  const lastFailure = collectPieces(collector, chunks)
  if (lastFailure) return { kind: 'failure', failure: lastFailure }
  if (!isComplete)
    throw badResponse({ zh: '上游提前结束了响应', en: 'the upstream ended its response early' })
  return { kind: 'json', reply: collector.reply(), usage, handles, text: undefined }
}

/** Returns a failure in the stream, if there is one. Throws GatewayError when the stream is too large to hold. */
async function collectEvents(stream: UpstreamStream, collector: Collector): Promise<Failure | undefined> {
  let chars = 0
  for (let events = await stream.next(); events; events = await stream.next()) {
    chars += countChars(events)
    if (chars > RESPONSE_BYTES_MAX) throw responseTooLarge()
    const pieces = events.flatMap(event => event.pieces)
    const failure = collectPieces(collector, pieces)
    if (failure) return failure
  }
  return undefined
}

function collectPieces(collector: Collector, pieces: readonly StreamPiece<ChatChunk>[]): Failure | undefined {
  for (const piece of pieces) {
    if (piece.type === 'failure') return piece.failure
    if (isChatChunk(piece)) collector.add(piece)
  }
  return undefined
}

const badResponse = (text: BothLanguages): GatewayError => new GatewayError('upstream_bad_answer', text)

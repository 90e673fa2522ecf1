import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { ownEntry } from '../../core/json/json.ts'
import { ownMessage } from '../../core/language.ts'
import type { SafeFetch } from '../../http-client/safe-fetch.ts'
import { outputLimit } from '../../pricing/catalogue.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { redactKey } from '../../provider-kit/redact-key.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { newSpanId, type Tracing, toTraceparent } from '../request/trace-context.ts'
import { type AccountHandles, accountGone } from '../routing/account-handles.ts'
import {
  type AttemptCall,
  AttemptsFailed,
  type AttemptTrace,
  type RouteTrace,
  type UntriedReason,
} from '../routing/attempts.ts'
import {
  type AutoDisableDeps,
  type ChannelUse,
  credentialFailure,
  outcomeOfFailure,
  reportFailure,
} from '../routing/auto-disable.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { ChannelCall, ChannelHealth } from '../routing/channel-health.ts'
import { type RoutePlan, refreshPlan } from '../routing/choose-route.ts'
import { decideRetry, type RetryDecision } from '../routing/retry-policy.ts'
import type { CallKind } from '../routing/stall-detector.ts'
import type { RelayOptions, RelayRequest, SettingsReader } from '../types.ts'
import { type CallDeps, type CallResult, callChannel, type UpstreamResponse } from './call-channel.ts'
import { type Credentials, isRejectedCredential } from './credentials.ts'
import { inlineImages } from './inline-images.ts'
import { type PreparedCall, prepareCall, type RespondingChannel } from './prepare-call.ts'

/** The first channel that responded. */
export interface RespondedUpstream {
  readonly responder: RespondingChannel
  readonly response: UpstreamResponse
  readonly trace: RouteTrace
  /** The caller must end this call when the response has ended. */
  readonly call: ChannelCall
}

/** The client left, and its call of an upstream was ended before there was a response. The provider may charge for it. */
export class CallAbandoned extends AttemptsFailed {
  readonly upstream: Pick<RespondedUpstream, 'responder' | 'trace' | 'call'>

  constructor(failure: Failure, upstream: CallAbandoned['upstream']) {
    super(failure, upstream.trace)
    this.upstream = upstream
  }
}

/** Dependencies of calling upstreams. */
export interface UpstreamDeps extends CallDeps, AutoDisableDeps {
  readonly credentials: Credentials
  readonly accountHandles: AccountHandles
  readonly safeFetch: SafeFetch
  /** Undefined when tracing is off. */
  readonly tracing: Tracing | undefined
  readonly settings: SettingsReader<keyof RelayOptions>
}

/**
 * Calls the channels of a route plan one after the other until one responds. After a failure the retry policy decides.
 * RetryTimes limits further channels; other keys and reconnects of the same channel are free, and channels that do not
 * support the request are skipped. Throws AttemptsFailed with the last failure. When the client leaves, nothing more is
 * sent, and the call in progress may go on until the upstream's signal aborts; throws CallAbandoned then.
 */
export async function tryChannels(
  request: RelayRequest,
  plan: RoutePlan,
  deps: UpstreamDeps,
  client: CallingClient,
): Promise<RespondedUpstream> {
  const { channels, candidates } = refreshPlan(plan, deps.health)
  const retry = startRetrying(request, deps, client)
  const trace = { candidates, attempts: retry.attempts }
  let untried: UntriedReason = 'no retries left'
  for (const channel of channels) {
    if (!mayTry(channel, retry)) continue
    const outcome = await attemptWithRepeats(channel, retry)
    if (typeof outcome === 'object') return { ...outcome, trace }
    if (outcome === 'give up') {
      untried = client.hasLeft ? 'client left' : 'failure is final'
      break
    }
    if (outcome === 'next channel') retry.abandonedId = channel.id
  }
  throw toError(retry, { ...trace, untried })
}

function toError({ lastFailure, request, abandoned }: RetryState, trace: RouteTrace): AttemptsFailed {
  const failure = lastFailure ?? unsupported(request)
  return abandoned ? new CallAbandoned(failure, { ...abandoned, trace }) : new AttemptsFailed(failure, trace)
}

/** The client that a call is made for. */
export type CallingClient = Pick<ClientPresence, 'hasLeft' | 'upstreamSignal'>

/** The state of the attempts for one request. */
interface RetryState {
  readonly request: RelayRequest
  readonly deps: UpstreamDeps
  readonly client: CallingClient
  readonly attempts: AttemptTrace[]
  lastFailure: Failure | undefined
  channelsLeft: number
  lastChannelId: number | undefined
  /** The call that was ended because the client had left, where the provider may charge for it. */
  abandoned: Pick<RespondedUpstream, 'responder' | 'call'> | undefined
  /** A channel whose other keys are not tried, because its failure does not depend on the key. */
  abandonedId: number | undefined
  /** What calls were repeated for. Each reason counts once, which bounds the repetitions. */
  readonly repeated: Set<string>
  /** Each body with its images inlined, fetched once even when several channels need it. */
  readonly inlinedBodies: Map<JsonObject, Promise<JsonObject>>
  /** The request for accounts that cannot read its encrypted content. */
  unencrypted: RelayRequest | undefined
  /** Channels whose provider turned out not to have the URL of the client's dialect. */
  readonly withoutNative: number[]
}

const startRetrying = (request: RelayRequest, deps: UpstreamDeps, client: CallingClient): RetryState => ({
  request,
  deps,
  client,
  attempts: [],
  lastFailure: undefined,
  channelsLeft: 1 + deps.settings.current().RetryTimes,
  lastChannelId: undefined,
  abandoned: undefined,
  abandonedId: undefined,
  repeated: new Set(),
  inlinedBodies: new Map(),
  unencrypted: undefined,
  withoutNative: [],
})

const mayTry = ({ id }: RoutedChannel, { abandonedId, lastChannelId, channelsLeft }: RetryState): boolean =>
  id !== abandonedId && (id === lastChannelId || channelsLeft > 0)

/**
 * Repeats a call of the same channel and key: at most once each for a reconnect, a renewed credential and a URL that the
 * provider lacks.
 */
async function attemptWithRepeats(channel: RoutedChannel, retry: RetryState): ReturnType<typeof attempt> {
  let outcome = await attempt(channel, retry)
  while (outcome === 'same channel') outcome = await attempt(channel, retry)
  return outcome
}

/** Prepares and makes one call. Returns the response, or the decision what to try next. */
async function attempt(
  channel: RoutedChannel,
  retry: RetryState,
): Promise<Omit<RespondedUpstream, 'trace'> | RetryDecision> {
  const { request, deps, client } = retry
  const call = deps.health.beginCall(channel)
  if (typeof call === 'string') return skip(channel, atLimit(call), retry)
  let hasResponse = false
  try {
    const prepared = await prepare(channel, retry)
    if (!prepared) return 'next key'
    if (client.hasLeft) return giveUpUnsent(retry)
    const started = startAttempt(prepared, request)
    call.markSent(callKind(request), started.startedMs)
    const traced = propagateTrace(prepared, started, retry)
    const signal = client.upstreamSignal
    const result = await callChannel(request, traced, deps, { signal, health: call })
    recordAttempt(channel, started, result, retry)
    if (result.kind !== 'failure') {
      hasResponse = true
      call.markOutputStarted()
      return { responder: toResponder(prepared), response: result, call }
    }
    call.end(signal.aborted ? 'unknown' : outcomeOfFailure(result.failure))
    if (signal.aborted && mayBeCharged(prepared, call, deps.health))
      retry.abandoned = { responder: toResponder(prepared), call }
    return await decideNext(prepared, result.failure, retry)
  } finally {
    if (!hasResponse) call.end('unknown')
  }
}

function giveUpUnsent(retry: RetryState): 'give up' {
  retry.lastFailure ??= { status: 499, code: 'client_closed_request', message: 'the client disconnected' }
  return 'give up'
}

/**
 * Whether the provider works on the call: it has responded, or is to respond only once the model has finished and has not
 * stalled.
 */
const mayBeCharged = (
  { call: { isStream }, channel }: PreparedCall,
  { hasFirstByte }: ChannelCall,
  health: ChannelHealth,
): boolean => hasFirstByte || (!isStream && health.skipReason(channel) !== 'silent')

/** Applies the consequences of a failure and decides what to try next. */
async function decideNext(
  { channel, call, hasFallback }: PreparedCall,
  failure: Failure,
  retry: RetryState,
): Promise<RetryDecision> {
  if (channel.id !== retry.lastChannelId) retry.channelsLeft -= 1
  retry.lastChannelId = channel.id
  retry.lastFailure = failure
  if (retry.client.hasLeft) return 'give up'
  if (hasFallback && isUnknownUrl(failure) && mayRepeat(`without the URL of ${channel.id}`, retry)) {
    retry.withoutNative.push(channel.id)
    return 'same channel'
  }
  const { key } = channel.view
  if (isRejectedCredential(call.credential, failure) && mayRepeat(`with a new credential of ${key}`, retry)) {
    retry.deps.credentials.forget(channel, call.credential)
    return 'same channel'
  }
  await reportFailure(toChannelUse(channel, retry), failure, retry.deps)
  const decision = decideRetry(failure)
  if (decision !== 'same channel') return decision
  return mayRepeat('with a new connection', retry) ? 'same channel' : 'next channel'
}

/** True once for each reason. */
function mayRepeat(reason: string, { repeated }: RetryState): boolean {
  if (repeated.has(reason)) return false
  repeated.add(reason)
  return true
}

/** Prepares the call. Returns undefined when the channel cannot take the request, which does not count as a retry. */
async function prepare(channel: RoutedChannel, retry: RetryState): Promise<PreparedCall | undefined> {
  const { request, deps, withoutNative } = retry
  try {
    const credential = channel.provider.credential && (await deps.credentials.get(channel))
    if (credential instanceof GatewayError) {
      const failure = redactKey(credentialFailure(credential), channel.view.key)
      await reportFailure(toChannelUse(channel, retry), failure, deps)
      throw credential
    }
    const readable = deps.accountHandles.canRead(request, channel) ? request : withoutEncrypted(retry)
    const adapted: RelayRequest = withoutNative.includes(channel.id)
      ? { ...readable, avoidsNative: true }
      : readable
    return await prepareCall(adapted, channel, {
      credential,
      findOutputLimit: model =>
        ownEntry(deps.settings.current().ModelOutputLimit, model) ?? outputLimit(model),
      send: deps.send,
      inlineImages() {
        return inlineOnce(adapted.body, retry)
      },
    })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    skip(channel, error, retry)
    return undefined
  }
}

/** The request for an account that cannot read its encrypted content. Throws GatewayError when it needs the content. */
function withoutEncrypted(retry: RetryState): RelayRequest {
  const { verbatimBody: _, ...request } = retry.request
  if (request.boundAccount?.isRequired) throw accountGone()
  if (retry.unencrypted) return retry.unencrypted
  const clientBody = request.client.withoutEncryptedContent?.(request.clientBody) ?? request.clientBody
  // A body that we reject goes to providers of the client's dialect only, who receive the client's own.
  const body = request.rejection
    ? request.body
    : request.dialect.parse(clientBody, request.context.urlParams).body
  retry.unencrypted = { ...request, clientBody, body }
  return retry.unencrypted
}

function inlineOnce(body: JsonObject, { inlinedBodies, deps }: RetryState): Promise<JsonObject> {
  const inlined = inlinedBodies.get(body) ?? inlineImages(body, deps.safeFetch)
  inlinedBodies.set(body, inlined)
  return inlined
}

/** Records a channel that was not called. Its reason becomes the last failure only if no provider has responded. */
function skip({ id, name, view }: RoutedChannel, reason: GatewayError, retry: RetryState): 'next key' {
  const { status, code, message, messageZh, retryAfterSeconds } = reason
  if (retry.lastChannelId === undefined)
    retry.lastFailure = redactKey({ status, code, message, messageZh, retryAfterSeconds }, view.key)
  retry.attempts.push({ channelId: id, channelName: name, status: STATUS_NOT_CALLED, ms: 0, code })
  return 'next key'
}

const STATUS_NOT_CALLED = 0
const STATUS_OK = 200

function recordAttempt(
  { id: channelId, name: channelName }: RoutedChannel,
  call: AttemptCall,
  result: CallResult,
  { attempts }: RetryState,
): void {
  const ms = Math.round(elapsedMs() - call.startedMs)
  if (result.kind === 'failure') {
    const { status, code } = result.failure
    attempts.push({ channelId, channelName, ms, call, status, code })
  } else attempts.push({ channelId, channelName, ms, call, status: STATUS_OK })
}

const startAttempt = (
  { channel, upstreamModel }: PreparedCall,
  { traceContext }: RelayRequest,
): AttemptCall => ({
  provider: channel.provider,
  model: upstreamModel,
  startedMs: elapsedMs(),
  spanId: traceContext && newSpanId(),
})

/** Adds the trace to the headers when the operator wants providers to receive it. */
function propagateTrace(
  prepared: PreparedCall,
  { spanId }: AttemptCall,
  { request, deps }: RetryState,
): PreparedCall {
  const { traceContext } = request
  if (!traceContext || !spanId || !deps.tracing?.isPropagated) return prepared
  const traceparent = toTraceparent(traceContext, spanId)
  const headers = { ...prepared.request.headers, traceparent }
  return { ...prepared, request: { ...prepared.request, headers } }
}

const toResponder = ({
  channel,
  upstreamModel,
  adapter,
  droppedTools,
  adjusted,
}: PreparedCall): RespondingChannel => ({
  channel,
  upstreamModel,
  adapter,
  droppedTools,
  adjusted,
})

const toChannelUse = (channel: RoutedChannel, { request }: RetryState): ChannelUse => ({
  channel,
  requestId: request.requestId,
  clientBody: request.clientBody,
})

const callKind = ({ isStream, operation }: RelayRequest): CallKind =>
  isStream || operation.converse ? 'stream' : 'json'

const UNKNOWN_URL_STATUSES: ReadonlySet<number> = new Set([404, 405, 501])

/** A server that is compatible with the provider's chat API may lack its newer URLs. */
const isUnknownUrl = ({ status, code }: Failure): boolean =>
  UNKNOWN_URL_STATUSES.has(status) && code !== 'model_not_found'

const atLimit = (limit: string): GatewayError =>
  new GatewayError('too_many_requests', { zh: '渠道已达到上限', en: `the channel is at its ${limit}` })

const unsupported = ({ operation, model }: RelayRequest): Failure => ({
  status: 404,
  code: 'model_not_found',
  ...ownMessage({
    zh: `模型 ${model} 的渠道都不支持 ${operation.name}`,
    en: `no channel that serves ${model} supports ${operation.name}`,
  }),
})

import { GatewayError } from '../../core/errors.ts'
import type { SafeFetch } from '../../http-client/safe-fetch.ts'
import type { UpstreamSocket } from '../../http-client/websocket.ts'
import type { Hold } from '../../ledger/ledger.ts'
import { readAccountIds } from '../../provider-kit/hosted-tools.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import type { ProcessorBudget } from '../admission/processor-budget.ts'
import { createHoldExtender, type HoldExtender, type Reservation } from '../billing/hold.ts'
import { type BillingDeps, type Settlement, settle } from '../billing/settle.ts'
import { checkUsage, type UsageBound, usageBound } from '../billing/usage-to-charge.ts'
import type { Recording, RelayHooks, ThoughtRecording } from '../hooks.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { toActiveRequest } from '../request/parse-request.ts'
import { senderOf } from '../request/read-json.ts'
import { judgeEvent } from '../request/request-policy.ts'
import { type AccountHandles, mayUseUnknownIds } from '../routing/account-handles.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { RoutePlan } from '../routing/choose-route.ts'
import type { ActiveRequest, ConversationParts, Outcome, RelayRequest, SettingsReader } from '../types.ts'
import type { JsonUpstreamResponse, UpstreamResponse } from '../upstream/call-channel.ts'
import type { RespondingChannel } from '../upstream/prepare-call.ts'
import type { ProviderHeaders } from '../upstream/read-stream.ts'
import type { RespondedUpstream } from '../upstream/try-channels.ts'
import { jsonResponse } from './json-response.ts'
import { PassthroughResponse } from './passthrough-response.ts'
import { recordStream } from './record-stream.ts'
import {
  EarlyStream,
  type KeepAlive,
  STREAM_HEADERS,
  toReadableStream,
  toSocketStream,
} from './response-body.ts'
import { StreamResponse, type StreamSource } from './stream-response.ts'
import { createTranscoder, type ReplacedModel } from './transcode.ts'

export interface ResponseDeps extends BillingDeps {
  readonly processorBudget: ProcessorBudget
  readonly safeFetch: SafeFetch
  readonly accountHandles: AccountHandles
  readonly settings: SettingsReader<
    | 'PreConsumedQuota'
    | 'prices'
    | 'UserConcurrencyLimit'
    | 'GroupRequestPolicies'
    | 'UserUsableGroups'
    | 'KeepAliveSeconds'
    | 'UnknownAccountIds'
    | 'ResponseModelName'
  >
  readonly hooks: Pick<RelayHooks, 'inspectRequest' | 'recordResponse' | 'settled'>
}

interface KeepAliveDeps {
  readonly settings: SettingsReader<'KeepAliveSeconds'>
}

interface ClientCall {
  readonly httpRequest: Request
  readonly early: EarlyStream | undefined
  readonly connection: ClientConnection
  /** Must be ended when the response is over. */
  readonly client: ClientPresence
}

/** An upstream response that has begun, and the money reserved for it. */
interface PaidUpstream {
  readonly upstream: RespondedUpstream
  readonly reservation: Reservation
}

/**
 * Passes the upstream response on to the client. The hold is closed however the response ends: completion, a broken
 * upstream, a disconnected client. Rejects when the response could not begin; the caller then releases the hold.
 */
export async function respond(
  requested: RelayRequest,
  paid: PaidUpstream,
  clientCall: ClientCall,
  deps: ResponseDeps,
): Promise<Response> {
  const { upstream, reservation } = paid
  const { client } = clientCall
  const { responder, response } = upstream
  const { request, replaced } = withResponseModel(requested, responder, deps)
  const bound = usageBound(request, reservation.price.model)
  const recording = deps.hooks.recordResponse?.(request, {
    connection: clientCall.connection,
    isNative: isNative(request, responder),
    maker: { ...responder, provider: responder.channel.provider },
  })
  try {
    if (response.kind !== 'json')
      // The prompt must not stay in memory for as long as the stream lasts.
      return await respondLive(
        toActiveRequest(request),
        { ...paid, response, bound, recording, replaced },
        clientCall,
        deps,
      )
    const thoughts = recording?.thoughts
    if (thoughts) request.operation.toChunks?.(response.reply).forEach(thoughts.add)
    return await jsonResponse(
      { request, responder, response, client, bound, recording, replaced },
      deps.safeFetch,
      async outcome => {
        client.end()
        await closeRequest({ request, upstream, ...reservation, outcome }, deps, thoughts)
      },
    )
  } catch (error) {
    upstream.call.end('unknown')
    throw error
  }
}

/** Makes durable what the response cost and what only its account can read again. */
async function closeRequest(
  finished: Settlement,
  deps: ResponseDeps,
  thoughts: ThoughtRecording | undefined,
): Promise<void> {
  const { request, upstream, outcome } = finished
  const { handles = [] } = outcome
  const storing =
    handles.length > 0 && deps.accountHandles.remember(handles, request.caller, upstream.responder.channel)
  const keeping = outcome.ending === 'complete' && thoughts?.keep()
  await settle(finished, deps)
  await storing
  await keeping
}

/** Whether the provider itself stores what the client's dialect stores. */
const isNative = ({ client }: RelayRequest, { adapter }: RespondingChannel): boolean =>
  adapter.nativeFormat === client.name

/** The model that clients see in a response where the channel's mapping has another name than they asked for. */
function withResponseModel(
  request: RelayRequest,
  { upstreamModel }: RespondingChannel,
  { settings }: ResponseDeps,
): { readonly request: RelayRequest; readonly replaced: ReplacedModel | undefined } {
  if (upstreamModel === request.model) return { request, replaced: undefined }
  if (settings.current().ResponseModelName === 'requested')
    return { request, replaced: { from: upstreamModel, to: request.model } }
  return {
    request: { ...request, context: { ...request.context, model: upstreamModel } },
    replaced: undefined,
  }
}

interface LiveUpstream extends PaidUpstream {
  readonly response: Exclude<UpstreamResponse, JsonUpstreamResponse>
  readonly bound: UsageBound
  readonly recording: Recording | undefined
  readonly replaced: ReplacedModel | undefined
}

async function respondLive(
  request: ActiveRequest,
  { upstream, reservation, response, bound, recording, replaced }: LiveUpstream,
  clientCall: ClientCall,
  deps: ResponseDeps,
): Promise<Response> {
  const { price } = reservation
  const { client } = clientCall
  const { channel } = upstream.responder
  const closeHold = (hold: Hold, outcome: Outcome) => {
    client.end()
    return closeRequest({ request, upstream, price, hold, outcome }, deps, recording?.thoughts)
  }
  if (response.kind === 'passthrough') {
    const close = (outcome: Outcome) => closeHold(reservation.hold, outcome)
    const source = new PassthroughResponse({ request, response, client, bound, close })
    const keepAlive = isEventStream(response.contentType) ? keepAliveOf(request, channel, deps) : undefined
    return streamTo(clientCall, source, { ...response, keepAlive })
  }
  const holdExtender = createHoldExtender(reservation, request.inputTokens, deps.ledger)
  const close = (outcome: Outcome) => closeHold(holdExtender.hold(), outcome)
  if (response.kind === 'socket')
    return converse(request, { channel, socket: response.socket, holdExtender, close }, clientCall, deps)
  const { stream } = request.dialect
  if (!stream)
    throw new GatewayError('api_not_implemented', {
      zh: `${request.operation.name} 不支持流式响应`,
      en: `${request.operation.name} cannot be streamed`,
    })
  const transcoder = createTranscoder(stream, request.context, upstream.responder, { ...response, replaced })
  const { thoughts } = recording ?? {}
  const live = { request, response, transcoder, holdExtender, client, bound, thoughts, close }
  const source = new StreamResponse(live)
  const recorded = recording ? recordStream(source, recording) : source
  const contentType = stream.contentType(request.context)
  const events = keepAliveOf(request, channel, deps)
  // A list of JSON may have space between its entries.
  const keepAlive = isEventStream(contentType) ? events : { ...events, text: '\n', isSpace: true }
  return streamTo(clientCall, recorded, { contentType, headers: response.headers, keepAlive })
}

/** Far above the context and the output of one response. */
const CONVERSED: UsageBound = { inputTokens: 1_000_000, outputTokens: 100_000 }

interface OpenConversation {
  readonly channel: RoutedChannel
  readonly socket: UpstreamSocket
  readonly holdExtender: HoldExtender
  readonly close: (outcome: Outcome) => Promise<void>
}

/** Upgrades the client's connection and connects it to the upstream's socket. The end of either one closes the hold. */
function converse(
  request: ActiveRequest,
  { channel, socket, holdExtender, close }: OpenConversation,
  { httpRequest, connection, client }: ClientCall,
  { hooks, settings, processorBudget }: ResponseDeps,
): Response {
  const mayUseAll = mayUseUnknownIds(request.caller, settings)
  const readForeignIds = (event: JsonObject) => (mayUseAll ? [] : readAccountIds(event))
  const memory = connection.openMemory(senderOf(request.caller))
  const parts: ConversationParts = {
    ...{ request, upstream: socket, client },
    judge(event) {
      judgeEvent(event, request, { settings, channel, readForeignIds })
      hooks.inspectRequest?.inspectEvent(event, request)
    },
    admitFrame(bytes) {
      // What was sent needs memory until the provider has taken it.
      if (socket.unsentBytes() === 0) memory.release()
      memory.take(bytes)
      processorBudget.admitFrame(request.caller, bytes)
    },
    checkUsage: usage => checkUsage(usage, CONVERSED),
    extendHold: holdExtender.extendToUsage,
    close: outcome => close(outcome).finally(memory.release),
  }
  const listener = request.operation.converse?.(parts, httpRequest.headers)
  const upgraded = listener && connection.switchToSocket(listener)
  if (upgraded) return upgraded
  socket.close()
  throw new GatewayError('invalid_request', {
    zh: '无法将连接升级为 WebSocket',
    en: 'the connection could not be upgraded to a WebSocket',
  })
}

const COMMENT = ': keep-alive\n\n'

/** The option of a channel goes before that of the gateway. */
const keepAliveOf = (
  { dialect }: Pick<ActiveRequest, 'dialect'>,
  channel: RoutedChannel | undefined,
  { settings }: KeepAliveDeps,
): KeepAlive => ({
  text: dialect.stream?.keepAlive ?? COMMENT,
  seconds: channel?.view.setting.keep_alive_seconds ?? settings.current().KeepAliveSeconds,
})

/** For a client that waits at a socket for a stream of events. The channel to be called first decides. */
export function openEarlyStream(
  request: RelayRequest,
  { channels }: RoutePlan,
  { httpRequest: { signal }, connection }: Pick<ClientCall, 'httpRequest' | 'connection'>,
  deps: KeepAliveDeps,
): EarlyStream | undefined {
  const contentType = request.isStream && request.dialect.stream?.contentType(request.context)
  const keepAlive = keepAliveOf(request, channels[0], deps)
  if (!contentType || !isEventStream(contentType) || !connection.hasSocket || keepAlive.seconds === 0)
    return undefined
  return new EarlyStream({ signal, connection, contentType, keepAlive })
}

interface StreamForm {
  readonly contentType: string
  readonly headers?: ProviderHeaders | undefined
  readonly keepAlive: KeepAlive | undefined
}

async function streamTo(
  { httpRequest: { signal }, connection, client, early }: ClientCall,
  source: StreamSource,
  { contentType, headers, keepAlive }: StreamForm,
): Promise<Response> {
  if (client.hasLeft) await source.cancel()
  const isRead = early?.decide() === true || !connection.hasSocket
  const toBody = isRead ? toReadableStream : toSocketStream
  const body = toBody(source, { signal, onEnd: connection.startStreaming(), keepAlive })
  return new Response(body, { headers: { ...headers, ...STREAM_HEADERS, 'content-type': contentType } })
}

const isEventStream = (contentType: string): boolean => contentType.includes('event-stream')

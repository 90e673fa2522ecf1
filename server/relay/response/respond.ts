import { GatewayError } from '../../core/errors.ts'
import type { SafeFetch } from '../../http-client/safe-fetch.ts'
import type { Hold } from '../../ledger/ledger.ts'
import { type AuthDeps, authenticate } from '../admission/authenticate.ts'
import { createHoldExtender, type Reservation } from '../billing/hold.ts'
import { type BillingDeps, type Settlement, settle } from '../billing/settle.ts'
import { type UsageBound, usageBound } from '../billing/usage-to-charge.ts'
import type { Recording, RelayHooks } from '../hooks.ts'
import { startConversation } from '../realtime/conversation.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { toActiveRequest } from '../request/parse-request.ts'
import { judgeEvent } from '../request/request-policy.ts'
import type { AccountHandles } from '../routing/account-handles.ts'
import type { ActiveRequest, Outcome, RelayRequest, SettingsReader } from '../types.ts'
import type { JsonUpstreamResponse, UpstreamResponse } from '../upstream/call-channel.ts'
import type { RespondingChannel } from '../upstream/prepare-call.ts'
import type { ProviderHeaders } from '../upstream/read-stream.ts'
import type { RespondedUpstream } from '../upstream/try-channels.ts'
import { jsonResponse } from './json-response.ts'
import { PassthroughResponse } from './passthrough-response.ts'
import { recordStream } from './record-stream.ts'
import { toReadableStream, toSocketStream } from './response-body.ts'
import { StreamResponse, type StreamSource } from './stream-response.ts'
import { createTranscoder } from './transcode.ts'

export interface ResponseDeps extends AuthDeps, BillingDeps {
  readonly safeFetch: SafeFetch
  readonly accountHandles: AccountHandles
  readonly settings: SettingsReader<
    'PreConsumedQuota' | 'prices' | 'UserConcurrencyLimit' | 'GroupRequestPolicies' | 'UserUsableGroups'
  >
  readonly hooks: Pick<RelayHooks, 'inspectRequest' | 'recordResponse' | 'settled'>
}

interface ClientCall {
  readonly httpRequest: Request
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
  request: RelayRequest,
  paid: PaidUpstream,
  clientCall: ClientCall,
  deps: ResponseDeps,
): Promise<Response> {
  const { upstream, reservation } = paid
  const { client } = clientCall
  const { responder, response } = upstream
  const bound = usageBound(request, reservation.price.model)
  const recording = deps.hooks.recordResponse?.(request, {
    connection: clientCall.connection,
    isNative: isNative(request, responder),
  })
  try {
    if (response.kind !== 'json')
      // The prompt must not stay in memory for as long as the stream lasts.
      return await respondLive(
        toActiveRequest(request),
        { ...paid, response, bound, recording },
        clientCall,
        deps,
      )
    return await jsonResponse(
      { request, responder, response, client, bound, recording },
      deps.safeFetch,
      async outcome => {
        client.end()
        await closeRequest({ request, upstream, ...reservation, outcome }, deps)
      },
    )
  } catch (error) {
    upstream.call.end('unknown')
    throw error
  }
}

/** Makes durable what the response cost and what only its account can read again. */
async function closeRequest(finished: Settlement, deps: ResponseDeps): Promise<void> {
  const { request, upstream, outcome } = finished
  const { handles = [] } = outcome
  const storing =
    handles.length > 0 &&
    deps.accountHandles.remember(handles, request.caller.userId, upstream.responder.channel)
  await settle(finished, deps)
  await storing
}

/** Whether the provider itself stores what the client's dialect stores. */
const isNative = ({ client }: RelayRequest, { adapter }: RespondingChannel): boolean =>
  adapter.nativeFormat === client.name

interface LiveUpstream extends PaidUpstream {
  readonly response: Exclude<UpstreamResponse, JsonUpstreamResponse>
  readonly bound: UsageBound
  readonly recording: Recording | undefined
}

async function respondLive(
  request: ActiveRequest,
  { upstream, reservation, response, bound, recording }: LiveUpstream,
  clientCall: ClientCall,
  deps: ResponseDeps,
): Promise<Response> {
  const { price } = reservation
  const { client } = clientCall
  const closeHold = (hold: Hold, outcome: Outcome) => {
    client.end()
    return closeRequest({ request, upstream, price, hold, outcome }, deps)
  }
  if (response.kind === 'passthrough') {
    const close = (outcome: Outcome) => closeHold(reservation.hold, outcome)
    const source = new PassthroughResponse({ request, response, client, bound, close })
    return streamTo(clientCall, source, response.contentType, response.headers)
  }
  const holdExtender = createHoldExtender(reservation, request.inputTokens, deps.ledger)
  const close = (outcome: Outcome) => closeHold(holdExtender.hold(), outcome)
  if (response.kind === 'socket') {
    const { hooks, settings } = deps
    const { channel } = upstream.responder
    const judge = (event: unknown) => judgeEvent(event, request, { settings, channel })
    const { httpRequest, connection } = clientCall
    const requireCaller = () => authenticate(httpRequest, connection, 'token', deps)
    const parts = { request, upstream: response.socket, holdExtender, hooks, judge, client, close }
    return startConversation({ ...parts, requireCaller }, httpRequest.headers, connection)
  }
  const { stream } = request.dialect
  if (!stream)
    throw new GatewayError('api_not_implemented', {
      zh: `${request.operation.name} 不支持流式响应`,
      en: `${request.operation.name} cannot be streamed`,
    })
  const transcoder = createTranscoder(stream, request.context, upstream.responder, response.isPassthrough)
  const source = new StreamResponse({ request, response, transcoder, holdExtender, client, bound, close })
  const recorded = recording ? recordStream(source, recording) : source
  return streamTo(clientCall, recorded, stream.contentType(request.context), response.headers)
}

const STREAM_HEADERS = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' } as const

async function streamTo(
  { httpRequest: { signal }, connection, client }: ClientCall,
  source: StreamSource,
  contentType: string,
  providerHeaders: ProviderHeaders | undefined,
): Promise<Response> {
  if (client.hasLeft) await source.cancel()
  const toBody = connection.hasSocket ? toSocketStream : toReadableStream
  return new Response(toBody(source, { signal, onEnd: connection.startStreaming() }), {
    headers: { ...providerHeaders, ...STREAM_HEADERS, 'content-type': contentType },
  })
}

import type { CancelSignal } from '../core/cancel-signal.ts'
import { nowSeconds } from '../core/clock.ts'
import { GatewayError } from '../core/errors.ts'
import { LargeJson } from '../core/json/large-json.ts'
import { type BothLanguages, ownMessage, textsOf } from '../core/language.ts'
import {
  type ChannelView,
  isWebSocket,
  type ProviderIo,
  type UpstreamRequest,
} from '../provider-kit/contract/operation-adapter.ts'
import type { Failure } from '../provider-kit/failures.ts'
import { parseJson } from '../provider-kit/json.ts'
import { decompressResponse, HttpCall } from './http1/http-call.ts'
import { CONNECT_TIMEOUT_MS, ConnectTimeoutError } from './http1/http-connection.ts'
import { type HttpResponse, StreamHttpResponse } from './http1/http-response.ts'
import { inSeconds, networkReason, readResponseText } from './read-response.ts'
import { type ConnectResult, requestOverSocket, waitUntilOpen } from './websocket.ts'

export interface SendOptions {
  /** Cancels the upstream call, for example when the client disconnects. */
  readonly signal: CancelSignal
  readonly headersTimeoutMs: number
  /** An http, https or socks5 proxy. */
  readonly proxy: string | undefined
  /** Connections are reused for the same owner only: see `connectionOwner`. Absent: the call has one of its own. */
  readonly owner?: string
}

/** A channel with one of its keys: no response to one can reach callers of another. */
export const connectionOwner = ({ id, key }: Pick<ChannelView, 'id' | 'key'>): string => `${id} ${key}`

/** A websocket opens without waiting for a model. */
const HANDSHAKE_TIMEOUT_MS = 10_000

/** Response headers arrived, with any status. */
export interface ReceivedResponse {
  readonly kind: 'response'
  readonly response: HttpResponse
}

export type SendResult = ReceivedResponse | { readonly kind: 'failure'; readonly failure: Failure }

/**
 * The only function that opens connections to upstreams. Network errors are returned as failures, not thrown. Redirects
 * are not followed, since they would carry the key elsewhere.
 */
export type Send = (request: UpstreamRequest, options: SendOptions) => Promise<SendResult>

interface ProxyEnvironment {
  /** The environment names a proxy, which only the runtime's own client uses. */
  readonly isBehindProxy: boolean
}

export const createSend =
  ({ isBehindProxy }: ProxyEnvironment): Send =>
  async (request, { signal, headersTimeoutMs, proxy, owner }) => {
    let headersTimer: NodeJS.Timeout | undefined
    try {
      const encoded = isEncoded(request) ? request : await encode(request)
      const call = startCall(encoded, { proxy, owner, isBehindProxy })
      const timeoutMs = isWebSocket(request)
        ? Math.min(headersTimeoutMs, HANDSHAKE_TIMEOUT_MS)
        : headersTimeoutMs
      headersTimer = setTimeout(() => call.cancel(new HeadersTimeout(timeoutMs)), timeoutMs)
      cancelOnAbort(signal, call)
      return { kind: 'response', response: await call.response }
    } catch (error) {
      return { kind: 'failure', failure: toFailure(error) }
    } finally {
      clearTimeout(headersTimer)
    }
  }

function cancelOnAbort(signal: CancelSignal, call: StartedCall): void {
  const cancel = () => call.cancel(new ClientDisconnected())
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel)
}

/** `send` without a proxy in the environment. */
export const send: Send = createSend({ isBehindProxy: false })

/** A request whose body is ready to be written. */
interface EncodedRequest extends Omit<UpstreamRequest, 'body'> {
  readonly body?: Exclude<UpstreamRequest['body'], LargeJson | FormData> | readonly Uint8Array<ArrayBuffer>[]
}

const isEncoded = (request: UpstreamRequest): request is UpstreamRequest & EncodedRequest =>
  !(request.body instanceof LargeJson || request.body instanceof FormData)

async function encode({ body, ...request }: UpstreamRequest): Promise<EncodedRequest> {
  if (body instanceof LargeJson) return { ...request, body: await body.encode() }
  const form = new Response(body)
  const type = form.headers.get('content-type') ?? ''
  return { ...request, headers: { ...request.headers, 'content-type': type }, body: await form.bytes() }
}

const isPieces = (body: EncodedRequest['body']): body is readonly Uint8Array<ArrayBuffer>[] =>
  Array.isArray(body)

const toText = (body: EncodedRequest['body']): string =>
  isPieces(body) ? Buffer.concat(body).toString() : String(body ?? '')

interface StartedCall {
  readonly response: Promise<HttpResponse>
  /** Ends the call; a pending `response` rejects with the reason. */
  cancel(reason?: unknown): void
}

interface Transport extends ProxyEnvironment {
  readonly proxy: string | undefined
  readonly owner: string | undefined
}

/** Uses our own HTTP/1.1 client where possible. The runtime's client supports proxies and websockets. */
function startCall(request: EncodedRequest, transport: Transport): StartedCall {
  const { method = 'POST', url, headers, body } = request
  if (transport.proxy || transport.isBehindProxy || isWebSocket(request))
    return new FetchCall(request, transport)
  return new HttpCall({ method, url, headers, body }, { owner: transport.owner })
}

class FetchCall implements StartedCall {
  readonly response: Promise<HttpResponse>
  private readonly abort = new AbortController()

  constructor(request: EncodedRequest, transport: Transport) {
    this.response = this.start(request, transport.proxy)
  }

  cancel(reason?: unknown): void {
    this.abort.abort(reason)
  }

  private async start(request: EncodedRequest, proxy: string | undefined): Promise<HttpResponse> {
    const { signal } = this.abort
    try {
      const response = await fetchResponse(request, signal, proxy)
      return decompressResponse(new StreamHttpResponse(response, reason => this.cancel(reason)))
    } catch (error) {
      throw signal.reason ?? error
    }
  }
}

function fetchResponse(
  request: EncodedRequest,
  signal: AbortSignal,
  proxy: string | undefined,
): Promise<Response> {
  const { url, headers, body } = request
  if (isWebSocket(request))
    return requestOverSocket(openWebSocket(url, { headers, ...(proxy && { proxy }) }), toText(body), signal)
  const options = {
    method: request.method ?? 'POST',
    // The runtime would ask for compression, and decompress without a bound.
    headers: { ...headers, 'accept-encoding': 'identity' },
    decompress: false,
    body: isPieces(body) ? new Blob([...body]) : (body ?? null),
    redirect: 'manual',
    // The runtime would share its connections between channels, and not notice what arrives between two responses.
    keepalive: false,
    signal,
    timeout: false,
  } satisfies BunFetchRequestInit & { timeout: false }
  return fetch(url, proxy ? { ...options, proxy } : options)
}

/** Like `Send`, for a websocket that stays open. Resolves once it is open. */
export type Connect = (request: UpstreamRequest, options: SendOptions) => Promise<ConnectResult>

export const createConnect =
  (handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS): Connect =>
  async ({ url, headers }, { signal, headersTimeoutMs, proxy }) => {
    const abort = new AbortController()
    const cancel = () => abort.abort(new ClientDisconnected())
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel)
    const timeoutMs = Math.min(headersTimeoutMs, handshakeTimeoutMs)
    const timer = setTimeout(() => abort.abort(new HeadersTimeout(timeoutMs)), timeoutMs)
    try {
      return await waitUntilOpen(openWebSocket(url, { headers, ...(proxy && { proxy }) }), abort.signal)
    } catch (error) {
      return { kind: 'failure', failure: toFailure(abort.signal.reason ?? error) }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  }

export const connect = createConnect()

type BunWebSocketClass = new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket

/** Bun's WebSocket accepts headers and a proxy, which the DOM's declaration does not list, so the cast is safe. */
function openWebSocket(url: string, options: Bun.WebSocketOptions): Bun.WebSocket {
  const BunWebSocket = WebSocket as unknown as BunWebSocketClass
  return new BunWebSocket(url, options)
}

class ClientDisconnected extends Error {}

class HeadersTimeout extends Error {
  readonly texts: BothLanguages

  constructor(timeoutMs: number) {
    const texts = {
      zh: `上游未在 ${inSeconds(timeoutMs)} 内响应`,
      en: `the upstream did not respond within ${inSeconds(timeoutMs)}`,
    }
    super(texts.en)
    this.texts = texts
  }
}

const CONNECT_TIMEOUT: Failure = {
  status: 504,
  code: 'upstream_timeout',
  ...ownMessage({
    zh: `上游未在 ${inSeconds(CONNECT_TIMEOUT_MS)} 内接受连接`,
    en: `the upstream accepted no connection within ${inSeconds(CONNECT_TIMEOUT_MS)}`,
  }),
}

/** The runtime's codes for a connection that closes while a response is pending. */
const CONNECTION_LOST_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'ConnectionClosed', 'EPIPE'])

function toFailure(cause: unknown): Failure {
  if (cause instanceof ClientDisconnected)
    return {
      status: 499,
      code: 'client_closed_request',
      ...ownMessage({ zh: '客户端已断开连接', en: 'the client disconnected' }),
    }
  if (cause instanceof ConnectTimeoutError) return CONNECT_TIMEOUT
  if (cause instanceof HeadersTimeout)
    return { status: 504, code: 'upstream_timeout', ...ownMessage(cause.texts) }
  const reason = networkReason(cause)
  return {
    status: 502,
    code: 'upstream_unreachable',
    ...ownMessage({ zh: `无法连接上游（${reason}）`, en: `the upstream could not be reached (${reason})` }),
    isConnectionLost: CONNECTION_LOST_CODES.has(reason),
  }
}

const PROVIDER_CALL_TIMEOUT_MS = 30_000

/** A provider's own calls on behalf of a channel, such as fetching a credential. Throws GatewayError on failure. */
export const createProviderIo = (channel: ChannelView, send: Send): ProviderIo => ({
  nowSeconds: nowSeconds(),
  async send(request) {
    const result = await send(request, {
      signal: AbortSignal.timeout(PROVIDER_CALL_TIMEOUT_MS),
      headersTimeoutMs: PROVIDER_CALL_TIMEOUT_MS,
      proxy: channel.setting.proxy,
      owner: connectionOwner(channel),
    })
    if (result.kind === 'failure') throw new GatewayError('upstream_failed', textsOf(result.failure))
    const text = await readResponseText(result, PROVIDER_CALL_TIMEOUT_MS)
    return { status: result.response.status, json: parseJson(text) }
  },
})

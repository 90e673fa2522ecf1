import { elapsedMs } from '../../core/clock.ts'
import { type Timer, startTimer } from '../../core/timers.ts'
import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import { isWebSocket, type UpstreamRequest, type Failure } from '../../provider-kit/contract/operation-adapter.ts'
import { askSocket } from '../ask-socket.ts'
import { CONNECT_TIMEOUT_MS, ConnectTimeoutError } from '../http1/connection-pool.ts'
import { ResponseTooLargeError, type HttpResponse, StreamHttpResponse } from '../http1/http-response.ts'
import { HttpCall } from '../http1/http-call.ts'
import { networkReason } from './network-errors.ts'
import { noteReached, originOf, takesConnections } from './tcp-probe.ts'
import { type Connected, openedSocket } from './websocket.ts'

/** The largest answer that is read whole: pictures come as base64 inside JSON. */
export const ANSWER_BYTES_MAX = 128 * MIB

/** Whoever waits for an answer. A request is one. */
export interface Waiter {
  /** Aborted when it leaves. The runtime makes that of a request when it is first asked for, which costs more than a header. */
  readonly signal: AbortSignal
}

export interface SendOptions {
  /** Its leaving ends the upstream call. */
  readonly waiter: Waiter
  /** Since when it waits, in `elapsedMs`: while that is not long, nobody listens whether it leaves. Absent: that is heard at once. */
  readonly waitingSinceMs?: number
  readonly headersTimeoutMs: number
  /** An http, https or socks5 address to go through. */
  readonly proxy: string | undefined
}

export interface SentAnswer {
  readonly kind: 'answer'
  readonly response: HttpResponse
}

export type Sent = SentAnswer | { readonly kind: 'failure'; readonly failure: Failure }

/**
 * The only function that opens connections to upstreams. It never throws for an upstream's sake: what cannot be
 * reached is a failure like any other. Redirects are not followed, since they would carry the key elsewhere.
 */
export type Send = (request: UpstreamRequest, options: SendOptions) => Promise<Sent>

export const openSend =
  ({ isBehindProxy }: Surroundings): Send =>
  async (request, { waiter, waitingSinceMs, headersTimeoutMs, proxy }) => {
    let headers: Timer | undefined
    let listening: Timer | undefined
    try {
      const call = begin(request, { proxy, isBehindProxy })
      const nowMs = elapsedMs()
      headers = startTimer(headersTimeoutMs, () => call.cancel(new HeadersLate(headersTimeoutMs)), nowMs)
      if (waitingSinceMs === undefined || nowMs - waitingSinceMs >= UNHEARD_MS) endWith(waiter, call)
      else listening = startTimer(UNHEARD_MS, () => endWith(waiter, call), nowMs)
      const response = await call.response
      if (call.isOver()) listening?.cancel()
      return { kind: 'answer', response }
    } catch (error) {
      listening?.cancel()
      return { kind: 'failure', failure: failureOf(error) }
    } finally {
      headers?.cancel()
    }
  }

/** Most answers are there by then. */
const UNHEARD_MS = 50

function endWith(waiter: Waiter, call: Call): void {
  if (call.isOver()) return
  const { signal } = waiter
  const leave = () => call.cancel(new ClientLeft())
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave)
}

interface Surroundings {
  /** The environment names a proxy, which the runtime's own client finds by itself. */
  readonly isBehindProxy: boolean
}

/** As `openSend` gives it where the environment names no proxy. */
export const send: Send = openSend({ isBehindProxy: false })

/** A call that is under way. */
interface Call {
  readonly response: Promise<HttpResponse>
  /** Ends it. What waits for its response is told the reason. */
  cancel(reason?: unknown): void
  /** Whether all of its answer has come, as far as that is known. */
  isOver(): boolean
}

interface Way extends Surroundings {
  readonly proxy: string | undefined
}

/** Over a connection of our own wherever we can: the runtime's own client goes through proxies, asks over sockets and sends forms. */
function begin(request: UpstreamRequest, way: Way): Call {
  const { method = 'POST', url, headers, body } = request
  if (way.proxy || way.isBehindProxy || isWebSocket(request) || body instanceof FormData)
    return new FetchedCall(request, way)
  return new HttpCall({ method, url, headers, body })
}

class FetchedCall implements Call {
  readonly response: Promise<HttpResponse>
  private readonly abort = new AbortController()

  constructor(request: UpstreamRequest, way: Way) {
    this.response = this.ask(request, way)
  }

  cancel(reason?: unknown): void {
    this.abort.abort(reason)
  }

  isOver(): boolean {
    return this.abort.signal.aborted
  }

  private async ask(request: UpstreamRequest, { proxy, isBehindProxy }: Way): Promise<HttpResponse> {
    const { signal } = this.abort
    if (!proxy && !isBehindProxy && !(await takesConnections(request.url))) throw new ConnectTimeoutError()
    try {
      const response = await open(request, signal, proxy)
      noteReached(originOf(request.url))
      return new StreamHttpResponse(response, reason => this.cancel(reason))
    } catch (error) {
      throw signal.reason ?? error
    }
  }
}

function open(request: UpstreamRequest, signal: AbortSignal, proxy: string | undefined): Promise<Response> {
  const { url, headers, body } = request
  if (isWebSocket(request))
    return askSocket(openSocket(url, { headers, ...(proxy && { proxy }) }), String(body ?? ''), signal)
  const wish = {
    method: request.method ?? 'POST',
    headers,
    body: body ?? null,
    redirect: 'manual',
    signal,
    timeout: false,
  } satisfies BunFetchRequestInit & { timeout: false }
  return fetch(url, proxy ? { ...wish, proxy } : wish)
}

/** As `send`, for a socket that stays open. Resolves once it is. */
export type Connect = (request: UpstreamRequest, options: SendOptions) => Promise<Connected>

export const openConnect =
  ({ isBehindProxy }: Surroundings): Connect =>
  async ({ url, headers }, { waiter, headersTimeoutMs, proxy }) => {
    const { signal } = waiter
    const abort = new AbortController()
    const leave = () => abort.abort(new ClientLeft())
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    const deadline = startTimer(headersTimeoutMs, () => abort.abort(new HeadersLate(headersTimeoutMs)))
    try {
      if (!proxy && !isBehindProxy && !(await takesConnections(url))) throw new ConnectTimeoutError()
      const socket = openSocket(url, { headers, ...(proxy && { proxy }) })
      const connected = await openedSocket(socket, abort.signal)
      noteReached(originOf(url))
      return connected
    } catch (error) {
      return { kind: 'failure', failure: failureOf(abort.signal.reason ?? error) }
    } finally {
      deadline.cancel()
      signal.removeEventListener('abort', leave)
    }
  }

/** As `openConnect` gives it where the environment names no proxy. */
export const connect: Connect = openConnect({ isBehindProxy: false })

type SocketClass = new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket

/** The runtime's own sockets, which take headers and a proxy; the browser's declaration of the same name does not say so. */
function openSocket(url: string, options: Bun.WebSocketOptions): Bun.WebSocket {
  const Socket = WebSocket as unknown as SocketClass
  return new Socket(url, options)
}

class ClientLeft extends Error {}

class HeadersLate extends Error {
  constructor(ms: number) {
    super(`the upstream did not answer within ${Math.round(ms / 1000)} s`)
  }
}

const UNCONNECTED: Failure = {
  status: 504,
  code: 'upstream_timeout',
  message: `the upstream took no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
}

/** How the runtime calls a connection that closed while an answer was awaited. */
const CONNECTION_LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'ConnectionClosed', 'EPIPE'])

function failureOf(cause: unknown): Failure {
  if (cause instanceof ClientLeft)
    return { status: 499, code: 'client_closed_request', message: 'the client left' }
  if (cause instanceof ConnectTimeoutError) return UNCONNECTED
  if (cause instanceof HeadersLate) return { status: 504, code: 'upstream_timeout', message: cause.message }
  const reason = networkReason(cause)
  return {
    status: 502,
    code: 'upstream_unreachable',
    message: `the upstream could not be reached (${reason})`,
    isConnectionLost: CONNECTION_LOST.has(reason),
  }
}

/**
 * Reads a whole answer. Throws GatewayError when it is larger than we are ready to hold, breaks off, or does not end
 * in time; the call is ended then.
 */
export const readAnswerText = async (sent: SentAnswer, timeoutMs: number): Promise<string> =>
  textAtHand(sent) ?? texts.decode(await readAnswerBytes(sent, timeoutMs))

const texts = new TextDecoder()

/** As `readAnswerText` where nothing has to be waited for any more; undefined where something has. */
export const textAtHand = ({ response }: SentAnswer): string | undefined =>
  response.bufferedText(ANSWER_BYTES_MAX)

/** As `readAnswerText`, for an answer that is no text. */
export async function readAnswerBytes(
  { response }: SentAnswer,
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const deadline = startTimer(timeoutMs, () => response.cancel(new AnswerLate()))
  try {
    return await response.readAll(ANSWER_BYTES_MAX)
  } catch (cause) {
    response.cancel()
    throw unreadable(cause, timeoutMs)
  } finally {
    deadline.cancel()
  }
}

class AnswerLate extends Error {}

export const tooLarge = (): GatewayError =>
  new GatewayError(
    'upstream_bad_answer',
    `the upstream's answer is larger than ${ANSWER_BYTES_MAX / MIB} MiB`,
  )

function unreadable(cause: unknown, timeoutMs: number): GatewayError {
  if (cause instanceof AnswerLate)
    return new GatewayError(
      'upstream_timeout',
      `the upstream did not end its answer within ${Math.round(timeoutMs / 1000)} s`,
    )
  if (cause instanceof ResponseTooLargeError) return tooLarge()
  const reason = networkReason(cause)
  return new GatewayError('upstream_bad_answer', `the upstream's answer broke off (${reason})`, { cause })
}

import { setDeadline } from '../kernel/deadlines.ts'
import { GatewayError } from '../kernel/errors.ts'
import { MIB } from '../kernel/limits.ts'
import { isSocket, type UpstreamRequest } from '../provider-kit/exchange.ts'
import type { Failure } from '../provider-kit/failure.ts'
import { askSocket } from './ask-socket.ts'
import { networkReason } from './network-reason.ts'
import { CONNECT_MS, isKnown, noteReached, originOf, takesConnections } from './reach.ts'
import { type Connected, openedSocket } from './upstream-socket.ts'

/** The largest answer that is read whole: pictures come as base64 inside JSON. */
const ANSWER_BYTES_MAX = 128 * MIB

export interface SendOptions {
  /** Aborts the upstream call: the client left. */
  readonly signal: AbortSignal
  readonly headersTimeoutMs: number
  /** An http, https or socks5 address to go through. */
  readonly proxy: string | undefined
}

export interface SentAnswer {
  readonly kind: 'answer'
  readonly response: Response
  /** Ends the call. What was not read of the body cannot be read any more. */
  cancel(): void
}

export type Sent = SentAnswer | { readonly kind: 'failure'; readonly failure: Failure }

/**
 * The only function that opens connections to upstreams. It never throws for an upstream's sake: what cannot be
 * reached is a failure like any other. Redirects are not followed, since they would carry the key elsewhere.
 */
export type Send = (request: UpstreamRequest, options: SendOptions) => Promise<Sent>

export const send: Send = async (request, { signal, headersTimeoutMs, proxy }) => {
  const abort = new AbortController()
  const leave = () => abort.abort(new ClientLeft())
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  const deadline = setDeadline(headersTimeoutMs, () => abort.abort(new HeadersLate(headersTimeoutMs)))
  try {
    const origin = originOf(request.url)
    if (!proxy && !isKnown(origin) && !(await takesConnections(request.url)))
      return { kind: 'failure', failure: UNCONNECTED }
    const response = await open(request, abort.signal, proxy)
    noteReached(origin)
    return new FetchedAnswer(response, abort)
  } catch (error) {
    return { kind: 'failure', failure: failureOf(abort.signal.reason ?? error) }
  } finally {
    deadline.drop()
  }
}

class FetchedAnswer implements SentAnswer {
  readonly kind = 'answer'
  readonly response: Response
  private readonly abort: AbortController

  constructor(response: Response, abort: AbortController) {
    this.response = response
    this.abort = abort
  }

  cancel(): void {
    this.abort.abort()
  }
}

function open(request: UpstreamRequest, signal: AbortSignal, proxy: string | undefined): Promise<Response> {
  const { url, headers, body } = request
  if (isSocket(request))
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

export const connect: Connect = async ({ url, headers }, { signal, headersTimeoutMs, proxy }) => {
  const abort = new AbortController()
  const leave = () => abort.abort(new ClientLeft())
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  const deadline = setDeadline(headersTimeoutMs, () => abort.abort(new HeadersLate(headersTimeoutMs)))
  try {
    const socket = openSocket(url, { headers, ...(proxy && { proxy }) })
    return await openedSocket(socket, abort.signal)
  } catch (error) {
    return { kind: 'failure', failure: failureOf(abort.signal.reason ?? error) }
  } finally {
    deadline.drop()
    signal.removeEventListener('abort', leave)
  }
}

type SocketClass = new (url: string, options: Bun.WebSocketOptions) => Bun.WebSocket

/** The runtime's own sockets, which take headers and a proxy; the browser's declaration of the same name does not say so. */
function openSocket(url: string, options: Bun.WebSocketOptions): Bun.WebSocket {
  const Socket = WebSocket as unknown as SocketClass
  return new Socket(url, options)
}

const UNCONNECTED: Failure = {
  status: 504,
  code: 'upstream_timeout',
  message: `the upstream took no connection within ${CONNECT_MS / 1000} s`,
}

class ClientLeft extends Error {}

class HeadersLate extends Error {
  constructor(ms: number) {
    super(`the upstream did not answer within ${Math.round(ms / 1000)} s`)
  }
}

/** How the runtime calls a connection that closed while an answer was awaited. */
const CONNECTION_LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'ConnectionClosed', 'EPIPE'])

function failureOf(cause: unknown): Failure {
  if (cause instanceof ClientLeft)
    return { status: 499, code: 'client_closed_request', message: 'the client left' }
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
export const readAnswerText = (sent: SentAnswer, timeoutMs: number): Promise<string> =>
  inTime(sent, timeoutMs, readText)

/** As `readAnswerText`, for an answer that is no text. */
export const readAnswerBytes = (sent: SentAnswer, timeoutMs: number): Promise<Uint8Array<ArrayBuffer>> =>
  inTime(sent, timeoutMs, readBytes)

async function inTime<Value>(
  sent: SentAnswer,
  timeoutMs: number,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  let isLate = false
  const deadline = setDeadline(timeoutMs, () => {
    isLate = true
    sent.cancel()
  })
  try {
    return await read(sent.response)
  } catch (cause) {
    sent.cancel()
    if (isLate) throw late(timeoutMs)
    if (cause instanceof GatewayError) throw cause
    const reason = networkReason(cause)
    throw new GatewayError('upstream_bad_answer', `the upstream's answer broke off (${reason})`, { cause })
  } finally {
    deadline.drop()
  }
}

const readText = (response: Response): Promise<string> =>
  isAnnounced(response) ? response.text() : readPieces(response)

async function readPieces(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of counted(response)) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (isAnnounced(response)) return response.bytes()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of counted(response)) pieces.push(piece)
  return new Blob(pieces).bytes()
}

/** Whether it says how long it is, and may be read at once. */
function isAnnounced(response: Response): boolean {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (announced > ANSWER_BYTES_MAX) throw tooLarge()
  return !Number.isNaN(announced)
}

async function* counted({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw tooLarge()
    yield piece
  }
}

const tooLarge = (): GatewayError =>
  new GatewayError(
    'upstream_bad_answer',
    `the upstream's answer is larger than ${ANSWER_BYTES_MAX / MIB} MiB`,
  )

const late = (ms: number): GatewayError =>
  new GatewayError(
    'upstream_timeout',
    `the upstream did not end its answer within ${Math.round(ms / 1000)} s`,
  )

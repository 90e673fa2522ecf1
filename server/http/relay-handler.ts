import { USER_STATUS } from '#contract/enums.ts'
import { withStorageTimeout } from '../core/async.ts'
import { errorMessage } from '../core/errors.ts'
import { preferredLanguage } from '../core/language.ts'
import type { Logger } from '../core/logger.ts'
import type { MetricsRegistry } from '../core/telemetry/metrics.ts'
import type { BodyAllocation, BodyMemory } from '../relay/request/body-memory.ts'
import type {
  BodyLimits,
  ClientConnection,
  FormField,
  SessionUser,
  SocketListener,
} from '../relay/request/client-connection.ts'
import { findSession, readSessionHash, type SessionStore } from './authenticate.ts'
import { compressLarge } from './compress-response.ts'
import { RELAY_PATH } from './relay-path.ts'
import { dropUnreadBody, readForm, readRequestText } from './request-body.ts'
import { withRelayHeaders } from './response-headers.ts'
import { upgradeToWebSocket, type WebSocketUpgrader } from './websockets.ts'

const TOKEN_PATH = /^\/(v1|v2|openai|rerank|dashboard\/|mj|suno)/
const USER_HEADER = 'new-api-user'
const STATUS_NO_CONTENT = 204
const STATUS_INTERNAL_ERROR = 500

/** The idle timeout of a connection without a request in progress. */
export const IDLE_CONNECTION_SECONDS = 120
const NO_IDLE_TIMEOUT = 0

/** The part of `Bun.serve`'s server that the app uses. */
export interface HttpListener extends WebSocketUpgrader {
  requestIP(request: Request): { readonly address: string } | null
  /** Sets the idle timeout of a request's connection; 0: none. */
  timeout?(request: Request, seconds: number): void
}

/** Browser tools of any site may call with an API key; cookies never count on these paths. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-expose-headers':
    'X-Oneapi-Request-Id, X-Request-Id, Request-Id, Retry-After, X-Tollgate-Dropped-Tools',
} as const

export interface RelayHandlerDeps extends SessionStore {
  readonly log: Logger
  readonly relay: (request: Request, connection: ClientConnection) => Promise<Response>
  readonly clientIpOf: (request: Request, listener: HttpListener) => string
  readonly responseCounter: ResponseCounter
  readonly bodyMemory: BodyMemory
  /** Applied to every response last. */
  readonly finalizeResponse: (response: Response) => Response
}

/** A request of which only the head has been read. */
interface IncomingCall {
  readonly requestId: string
  readonly url: URL
  readonly listener: HttpListener
}

export const isRelayPath = (path: string): boolean => RELAY_PATH.test(path)

/** Creates the handler of all relay paths: CORS, the client connection, and a last resort for bugs in the relay. */
export function createRelayHandler(deps: RelayHandlerDeps) {
  return async (request: Request, call: IncomingCall): Promise<Response> => {
    const { requestId, url } = call
    const allowsAnyOrigin = TOKEN_PATH.test(url.pathname) && request.headers.has('origin')
    if (request.method === 'OPTIONS' && allowsAnyOrigin) return preflightResponse(requestId, deps)
    const connection = new HttpClientConnection(request, call, deps)
    deps.responseCounter.begin()
    const response = await deps
      .relay(request, connection)
      .catch((error: unknown) => internalErrorResponse(error, call, request, deps))
    connection.onResponse()
    dropUnreadBody(request)
    deps.responseCounter.end(response.status)
    const shared = withRelayHeaders(allowsAnyOrigin ? withCorsHeaders(response) : response, requestId)
    return deps.finalizeResponse(await compressLarge(request, shared))
  }
}

const preflightResponse = (requestId: string, { finalizeResponse }: RelayHandlerDeps): Response =>
  finalizeResponse(
    withRelayHeaders(withCorsHeaders(new Response(null, { status: STATUS_NO_CONTENT })), requestId),
  )

class HttpClientConnection implements ClientConnection {
  readonly hasSocket = true
  readonly requestId: string
  readonly url: URL
  private readonly request: Request
  private readonly listener: HttpListener
  private readonly deps: RelayHandlerDeps
  private isStreaming = false
  private body: BodyAllocation | undefined
  private address: string | undefined

  constructor(request: Request, { requestId, url, listener }: IncomingCall, deps: RelayHandlerDeps) {
    this.requestId = requestId
    this.url = url
    this.request = request
    this.listener = listener
    this.deps = deps
  }

  clientIp(): string {
    this.address ??= this.deps.clientIpOf(this.request, this.listener)
    return this.address
  }

  session(): Promise<SessionUser | undefined> {
    return findSessionUser(this.request, this.deps)
  }

  readText({ bytesMax, sender }: BodyLimits, onPiece: (piece: string) => void): Promise<void> {
    return readRequestText(this.request, { bytesMax, memory: this.allocateBody(sender) }, onPiece)
  }

  readForm({ bytesMax, sender }: BodyLimits): Promise<readonly FormField[]> {
    return readForm(this.request, { bytesMax, memory: this.allocateBody(sender) })
  }

  takeMemory(bytes: number, sender: string): void {
    this.allocateBody(sender).take(bytes)
  }

  takenBytes(): number {
    return this.body?.takenBytes() ?? 0
  }

  openMemory(sender: string): BodyAllocation {
    return this.deps.bodyMemory.open(sender)
  }

  disableIdleTimeout(): void {
    this.listener.timeout?.(this.request, NO_IDLE_TIMEOUT)
  }

  startStreaming(): () => void {
    this.isStreaming = true
    return () => this.restoreIdleTimeout()
  }

  keepBody(): () => void {
    const { body } = this
    this.body = undefined
    return () => body?.release()
  }

  /** Call this when the response is ready, however it came about: the relay has dropped the body by then. */
  onResponse(): void {
    this.body?.release()
    // A stream restores the timeout itself at its end.
    if (!this.isStreaming) this.restoreIdleTimeout()
  }

  switchToSocket(listener: SocketListener): Response | undefined {
    // Afterwards nobody can tell.
    this.clientIp()
    return upgradeToWebSocket(this.request, this.listener, listener)
  }

  private allocateBody(sender: string): BodyAllocation {
    this.body ??= this.openMemory(sender)
    return this.body
  }

  private restoreIdleTimeout(): void {
    this.listener.timeout?.(this.request, IDLE_CONNECTION_SECONDS)
  }
}

function withCorsHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(CORS_HEADERS)) response.headers.set(name, value)
  return response
}

function internalErrorResponse(
  error: unknown,
  { requestId }: IncomingCall,
  { headers }: Request,
  { log }: { readonly log: Logger },
): Response {
  log.error('the relay threw', { request_id: requestId, error, reason: errorMessage(error) })
  const text = { zh: '服务器内部错误', en: 'internal server error' }
  const message = `${text[preferredLanguage(headers.get('accept-language'), 'en')]} (request id: ${requestId})`
  return Response.json(
    { error: { message, type: 'tollgate_error', param: '', code: 'internal_error' } },
    { status: STATUS_INTERNAL_ERROR },
  )
}

/** The user of the session cookie. The request must also name that user in a header, which other sites' pages cannot send. */
async function findSessionUser(request: Request, store: SessionStore): Promise<SessionUser | undefined> {
  const sessionHash = readSessionHash(request, store)
  const user = sessionHash && (await withStorageTimeout(findSession(sessionHash, store)))
  if (
    !sessionHash ||
    !user ||
    user.status !== USER_STATUS.enabled ||
    request.headers.get(USER_HEADER) !== String(user.id)
  )
    return undefined
  const { id, username, role, group, quota: walletUnits, is_bounded } = user
  return { id, username, role, group, walletUnits, isBounded: is_bounded === 1, sessionHash }
}

/** Counts relay responses. Every `begin` is followed by one `end`. */
export interface ResponseCounter {
  begin(): void
  end(httpStatus: number): void
}

export function createResponseCounter(metrics: MetricsRegistry): ResponseCounter {
  const countByStatus = new Map<number, number>()
  metrics.counter('tollgate_relay_requests_total', 'Relay responses by HTTP status.', () =>
    [...countByStatus].map(([status, count]) => [{ status }, count] as const),
  )
  let waiting = 0
  metrics.gauge(
    'tollgate_relay_requests_waiting',
    'Relay requests whose response has not begun.',
    () => waiting,
  )
  return {
    begin() {
      waiting += 1
    },
    end(status) {
      waiting -= 1
      countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1)
    },
  }
}

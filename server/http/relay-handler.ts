import { USER_STATUS } from '#contract/enums.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { ClientConnection, SessionUser, SocketListener } from '../relay/request/client-connection.ts'
import type { ResponseCounter } from '../relay/telemetry/metrics.ts'
import { withStorageTimeout } from '../relay/with-storage-timeout.ts'
import { readForm, readText } from './read-body.ts'
import { findSession, type SessionStore, sessionHashOf } from './session-cookie.ts'
import { switchToSocket, type Upgrader } from './sockets.ts'
import { withRequestId } from './with-request-id.ts'

const RELAY_PATH = /^\/(v1|v1beta|pg|rerank|dashboard\/billing|mj|mj-(fast|relax|turbo)\/mj|suno)(\/|$)/
const TOKEN_PATH = /^\/(v1|rerank|dashboard\/|mj|suno)/
const USER_HEADER = 'new-api-user'
const NO_CONTENT = 204
const INTERNAL_ERROR = 500

/** A connection on which nothing happens and nothing is under way. */
export const IDLE_CONNECTION_SECONDS = 120
const NO_IDLE_TIMEOUT = 0

/** What the relay's door and the app need of the server: `Bun.serve`'s own server fits. */
export interface Listener extends Upgrader {
  requestIP(request: Request): { readonly address: string } | null
  /** How long nothing may happen before the server gives the request up; 0: as long as it takes. */
  timeout?(request: Request, seconds: number): void
}

/** Tools in browsers of any site may call with a key of their own; cookies never count there. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-expose-headers': 'X-Oneapi-Request-Id',
} as const

export interface RelayHandlerDeps extends SessionStore {
  readonly log: Logger
  readonly relay: (request: Request, door: ClientConnection) => Promise<Response>
  readonly clientIpOf: (request: Request, listener: Listener) => string
  readonly answerCount: ResponseCounter
  /** Has the last word on each answer. */
  readonly seal: (response: Response) => Response
}

/** What is known of a request before anything of it is read. */
interface IncomingCall {
  readonly requestId: string
  readonly path: string
  readonly listener: Listener
}

export const isRelayPath = (path: string): boolean => RELAY_PATH.test(path)

/** Opens the door to the relay: what it may ask of a request, cross-site rules, and the last net under its errors. */
export function createRelayHandler(parts: RelayHandlerDeps) {
  return (request: Request, came: IncomingCall): Promise<Response> => {
    const { requestId } = came
    const isOpen = TOKEN_PATH.test(came.path) && request.headers.has('origin')
    if (request.method === 'OPTIONS' && isOpen) return Promise.resolve(preflightResponse(requestId, parts))
    const door = new HttpClientConnection(request, came, parts)
    const finished = (response: Response): Response => {
      door.onResponse()
      parts.answerCount.end(response.status)
      return parts.seal(withRequestId(isOpen ? withCorsHeaders(response) : response, requestId))
    }
    parts.answerCount.begin()
    return parts
      .relay(request, door)
      .then(finished, (error: unknown) => finished(internalErrorResponse(error, requestId, parts.log)))
  }
}

const preflightResponse = (requestId: string, { seal }: RelayHandlerDeps): Response =>
  seal(withRequestId(withCorsHeaders(new Response(null, { status: NO_CONTENT })), requestId))

class HttpClientConnection implements ClientConnection {
  readonly requestId: string
  private readonly request: Request
  private readonly listener: Listener
  private readonly parts: RelayHandlerDeps
  private isStreaming = false

  constructor(request: Request, { requestId, listener }: IncomingCall, parts: RelayHandlerDeps) {
    this.requestId = requestId
    this.request = request
    this.listener = listener
    this.parts = parts
  }

  clientIp(): string {
    return this.parts.clientIpOf(this.request, this.listener)
  }

  session(): Promise<SessionUser | undefined> {
    return findSessionUser(this.request, this.parts)
  }

  readText(bytesMax: number): Promise<string> {
    return readText(this.request, bytesMax)
  }

  readForm(bytesMax: number): Promise<FormData> {
    return readForm(this.request, bytesMax)
  }

  disableIdleTimeout(): void {
    this.listener.timeout?.(this.request, NO_IDLE_TIMEOUT)
  }

  startStreaming(): () => void {
    this.isStreaming = true
    return () => this.restoreIdleTimeout()
  }

  /** The answer is on its way, and whole unless it goes on. */
  onResponse(): void {
    if (!this.isStreaming) this.restoreIdleTimeout()
  }

  private restoreIdleTimeout(): void {
    this.listener.timeout?.(this.request, IDLE_CONNECTION_SECONDS)
  }

  switchToSocket(conversation: SocketListener): Response | undefined {
    return switchToSocket(this.request, this.listener, conversation)
  }
}

function withCorsHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(CORS_HEADERS)) response.headers.set(name, value)
  return response
}

function internalErrorResponse(error: unknown, requestId: string, log: Logger): Response {
  log.error('the relay threw', { request_id: requestId, error, reason: errorMessage(error) })
  const message = `internal error (request id: ${requestId})`
  return Response.json(
    { error: { message, type: 'tollgate_error', param: '', code: 'internal_error' } },
    { status: INTERNAL_ERROR },
  )
}

/** The user of the session cookie, if the request also names that user, as pages of other sites cannot. */
async function findSessionUser(request: Request, store: SessionStore): Promise<SessionUser | undefined> {
  const sessionHash = sessionHashOf(request, store)
  const user =
    sessionHash === undefined ? undefined : await withStorageTimeout(findSession(sessionHash, store))
  if (!user || user.status !== USER_STATUS.enabled || request.headers.get(USER_HEADER) !== String(user.id))
    return undefined
  return { id: user.id, username: user.username, role: user.role, group: user.group }
}

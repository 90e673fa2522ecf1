import { GatewayError } from '#server/core/errors.ts'
import { inLanguage, type Language } from '#server/core/language.ts'
import type { Logger } from '#server/core/logger.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import type { RelayServices } from '#server/relay/relay-services.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'
import type { Caller } from '#server/relay/types.ts'
import { ResponseSocket } from './response-socket.ts'
import { SocketMemory } from './socket-memory.ts'

/** Far above what agents open at once. */
const SOCKETS_PER_USER_MAX = 100
const STATUS_UPGRADE_REQUIRED = 426

/** Counts the sockets of each user in this process. */
export class ResponseSockets {
  readonly memory = new SocketMemory()
  private readonly openByUser = new Map<number, number>()

  /** Throws GatewayError `too_many_requests` when the user has too many. Returns the function that ends the count. */
  add(userId: number): () => void {
    const count = this.openByUser.get(userId) ?? 0
    if (count >= SOCKETS_PER_USER_MAX)
      throw new GatewayError('too_many_requests', {
        zh: `每个用户最多同时打开 ${SOCKETS_PER_USER_MAX} 个 WebSocket 连接`,
        en: `a user may have ${SOCKETS_PER_USER_MAX} WebSocket connections at a time`,
      })
    this.openByUser.set(userId, count + 1)
    return () => {
      const left = (this.openByUser.get(userId) ?? 0) - 1
      if (left > 0) this.openByUser.set(userId, left)
      else this.openByUser.delete(userId)
    }
  }
}

interface ResponseSocketDeps {
  readonly responseSockets: ResponseSockets
  readonly log: Logger
  /** Serves one turn like a request of its own. */
  readonly respond: RelayServices['respond']
  readonly openCalls: RelayServices['openCalls']
}

interface ResponseSocketQuery {
  readonly caller: Caller
  readonly client: ClientDialect
  readonly httpRequest: Request
  readonly connection: ClientConnection
  readonly arrival: { readonly language: Language }
}

/**
 * Opens a WebSocket on which each `response.create` event is a request for a response. It is in front of the pipeline,
 * so that turns have the limits, the channels and the charges of any request, with every provider.
 */
export async function openResponseSocket(
  query: ResponseSocketQuery,
  { responseSockets, log, respond, openCalls }: ResponseSocketDeps,
): Promise<Response> {
  const { caller, client, httpRequest, connection, arrival } = query
  if (httpRequest.headers.get('upgrade')?.toLowerCase() !== 'websocket') return upgradeRequired(query)
  const remove = responseSockets.add(caller.userId)
  const socket = new ResponseSocket({
    respond,
    client,
    language: arrival.language,
    url: connection.url,
    headers: httpRequest.headers,
    clientIp: connection.clientIp(),
    userId: caller.userId,
    memory: responseSockets.memory,
    openMemory: sender => connection.openMemory(sender),
    checkCaller(revoke) {
      const call = { caller, connection, revoke }
      openCalls.add(call)
      return () => openCalls.delete(call)
    },
    log,
    onClosed: remove,
  })
  const upgraded = connection.switchToSocket(socket)
  if (upgraded) return upgraded
  remove()
  return upgradeRequired(query)
}

function upgradeRequired({ client, connection, arrival }: ResponseSocketQuery): Response {
  const error = new GatewayError('invalid_request', {
    zh: 'GET 请求须升级为 WebSocket 连接，其他请求请使用 POST',
    en: 'a GET request must be upgraded to a WebSocket; use POST for other requests',
  })
  const json = client.writeError(inLanguage(toClientError(error), arrival.language), connection.requestId)
  return Response.json(json, { status: STATUS_UPGRADE_REQUIRED, headers: { upgrade: 'websocket' } })
}

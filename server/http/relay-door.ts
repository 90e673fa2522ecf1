import { USER_STATUS } from '../api/caller.ts'
import { messageOf } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { askStorage } from '../relay/ask-storage.ts'
import type { Door, SessionUser } from '../relay/door.ts'
import { readForm, readText } from './read-body.ts'
import { findSession, type SessionStore, sessionHashOf } from './session-cookie.ts'

const RELAY_PATH = /^\/(v1|v1beta|pg|rerank|dashboard\/billing|mj|mj-(fast|relax|turbo)\/mj|suno)(\/|$)/
const TOKEN_PATH = /^\/(v1|rerank|dashboard\/|mj|suno)/
const USER_HEADER = 'new-api-user'
const NO_CONTENT = 204
const INTERNAL_ERROR = 500

/** Tools in browsers of any site may call with a key of their own; cookies never count there. */
const OPEN_TO_ALL_SITES = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-expose-headers': 'X-Oneapi-Request-Id',
} as const

interface RelayDoorParts extends SessionStore {
  readonly log: Log
  readonly relay: (request: Request, door: Door) => Promise<Response>
}

export const isRelayPath = (path: string): boolean => RELAY_PATH.test(path)

/** Opens the door to the relay: what it may ask of a request, cross-site rules, and the last net under its errors. */
export function createRelayDoor(parts: RelayDoorParts) {
  return (
    request: Request,
    path: string,
    { requestId, clientIp, switchToSocket }: Pick<Door, 'requestId' | 'clientIp' | 'switchToSocket'>,
  ): Promise<Response> => {
    const isOpen = TOKEN_PATH.test(path) && request.headers.has('origin')
    if (request.method === 'OPTIONS' && isOpen)
      return Promise.resolve(new Response(null, { status: NO_CONTENT, headers: OPEN_TO_ALL_SITES }))
    const answered = relayed(request, parts, {
      requestId,
      clientIp,
      switchToSocket,
      session: () => findSessionUser(request, parts),
      readText: bytesMax => readText(request, bytesMax),
      readForm: bytesMax => readForm(request, bytesMax),
    })
    return isOpen ? answered.then(openedToAllSites) : answered
  }
}

function openedToAllSites(response: Response): Response {
  for (const [name, value] of Object.entries(OPEN_TO_ALL_SITES)) response.headers.set(name, value)
  return response
}

async function relayed(request: Request, { relay, log }: RelayDoorParts, door: Door): Promise<Response> {
  try {
    return await relay(request, door)
  } catch (error) {
    log.error('the relay threw', { request_id: door.requestId, error, reason: messageOf(error) })
    const message = `internal error (request id: ${door.requestId})`
    return Response.json(
      { error: { message, type: 'tollgate_error', param: '', code: 'internal_error' } },
      { status: INTERNAL_ERROR },
    )
  }
}

/** The user of the session cookie, if the request also names that user, as pages of other sites cannot. */
async function findSessionUser(request: Request, store: SessionStore): Promise<SessionUser | undefined> {
  const sessionHash = sessionHashOf(request, store)
  const user = sessionHash === undefined ? undefined : await askStorage(findSession(sessionHash, store))
  if (!user || user.status !== USER_STATUS.enabled || request.headers.get(USER_HEADER) !== String(user.id))
    return undefined
  return { id: user.id, username: user.username, role: user.role, group: user.group }
}

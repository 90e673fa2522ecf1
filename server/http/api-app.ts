import { Hono } from 'hono'
import { compress } from 'hono/compress'
import type { ApiContext, ApiDeps, SessionControls } from '../api/context.ts'
import type { Route, RequestInput } from '../api/handle.ts'
import { API_BODY_BYTES_MAX } from '../core/limits.ts'
import { parseJsonBody } from '../core/json.ts'
import { admitCall } from './admission.ts'
import { apiPageOf } from './api-page.ts'
import { envelope, errorEnvelope, notFound } from './envelope.ts'
import { type Identity, identify } from './identify.ts'
import { languageOf } from './language.ts'
import { openapiOf } from './openapi.ts'
import { readText } from './read-body.ts'
import { pageHeaders } from './security-headers.ts'
import {
  closeSession,
  closeSessionsOfUser,
  keepSignInState,
  openSession,
  takeSignInState,
} from './session-cookie.ts'

/** What is known of a request before it is routed. */
export interface Arrival {
  readonly requestId: string
  readonly clientIp: string
  /** The client came by https. */
  readonly isSecure: boolean
}

export interface ApiApp {
  fetch(request: Request, arrival: Arrival): Response | Promise<Response>
}

interface ApiAppParts extends ApiDeps {
  readonly routes: readonly Route[]
  /** Called after each call that may have changed something, before it is answered. */
  readonly afterChange: () => Promise<void>
}

/** The management API as one function from request to answer. */
export function createApiApp(parts: ApiAppParts): ApiApp {
  const app: ApiHono = new Hono()
  app.use(compress())
  for (const route of staticFirst(parts.routes)) {
    const { method, path } = route.endpoint
    app.on(method, bothForms(path), c =>
      answer(
        route,
        { request: c.req.raw, params: c.req.param(), query: c.req.query(), arrival: c.env },
        parts,
      ),
    )
  }
  addDescriptions(app, parts)
  app.notFound(c => notFound(c.req.raw))
  return { fetch: (request, arrival) => app.fetch(request, arrival) }
}

/** With the slash at the end and without. */
function bothForms(path: string): string[] {
  const bare = path.replace(/\/$/, '')
  return [bare, `${bare}/`]
}

type ApiHono = Hono<{ Bindings: Arrival }>

/** The API described by itself, made when it is first asked for. */
function addDescriptions(app: ApiHono, { routes, installation }: ApiAppParts): void {
  const endpoints = routes.map(route => route.endpoint)
  let document: ReturnType<typeof openapiOf> | undefined
  const described = () => {
    document ??= openapiOf(endpoints, installation.version)
    return document
  }
  app.on('GET', bothForms('/api/openapi.json'), c => c.json(described()))
  app.on('GET', bothForms('/api/docs'), c => {
    const headers = pageHeaders({ scriptHashes: [], frames: [], forms: [], widgets: [] })
    return c.html(apiPageOf(endpoints, described()), { headers })
  })
}

/** `/api/channel/search` must never be taken for a channel's id. */
const staticFirst = (routes: readonly Route[]): readonly Route[] =>
  routes.toSorted((a, b) => parametersIn(a) - parametersIn(b))

const parametersIn = ({ endpoint }: Route): number => endpoint.path.split(':').length

interface ApiRequest extends Pick<RequestInput, 'params' | 'query'> {
  readonly request: Request
  readonly arrival: Arrival
}

async function answer(route: Route, sent: ApiRequest, parts: ApiAppParts): Promise<Response> {
  const { request, arrival } = sent
  const language = languageOf(request)
  try {
    const identity = await admittedIdentity(request, route, arrival, parts)
    const cookies: string[] = []
    const context: ApiContext = {
      ...parts,
      caller: identity.caller,
      session: sessionControls(identity, cookies, { parts, isSecure: arrival.isSecure }),
      language,
      clientIp: arrival.clientIp,
      requestId: arrival.requestId,
      signal: request.signal,
    }
    const reply = await route.run(context, { ...sent, body: await readBody(request) })
    if (request.method !== 'GET') await parts.afterChange()
    const response = reply instanceof Response ? reply : envelope(reply)
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return response
  } catch (error) {
    return errorEnvelope(error, language, { log: parts.log, requestId: arrival.requestId })
  }
}

/** Who calls. Whoever is turned away is counted too, by address. */
async function admittedIdentity(
  request: Request,
  { endpoint }: Route,
  { clientIp: address }: Arrival,
  parts: ApiAppParts,
): Promise<Identity> {
  const admit = (userId: number) => admitCall(endpoint, { userId, address }, parts.rateLimiter)
  const identity = await identify(request, endpoint.role, parts).catch(async (error: unknown) => {
    await admit(0)
    throw error
  })
  await admit(identity.caller.id)
  return identity
}

async function readBody(request: Request): Promise<unknown> {
  if (request.method === 'GET' || request.body === null) return undefined
  const text = await readText(request, API_BODY_BYTES_MAX)
  return text.trim() === '' ? undefined : parseJsonBody(text)
}

function sessionControls(
  { caller, sessionHash, authenticatedAt }: Identity,
  cookies: string[],
  { parts, isSecure }: { parts: ApiAppParts; isSecure: boolean },
): SessionControls {
  return {
    authenticatedAt,
    async open(userId) {
      if (caller.id === 0) await closeSession(sessionHash, isSecure, parts)
      cookies.push(await openSession(userId, isSecure, parts))
    },
    async keepState(state) {
      const cookie = await keepSignInState(sessionHash, state, isSecure, parts)
      if (cookie !== undefined) cookies.push(cookie)
    },
    takeState: () => takeSignInState(sessionHash, parts),
    close: async () => void cookies.push(await closeSession(sessionHash, isSecure, parts)),
    closeOthers: () => closeSessionsOfUser(caller.id, sessionHash, parts),
  }
}

import { Hono } from 'hono'
import { compress } from 'hono/compress'
import type { Role } from '#contract/enums.ts'
import {
  type ActFor,
  type ApiCaller,
  type ApiContext,
  type ApiDeps,
  type SessionControls,
  VISITOR,
} from '../api/context.ts'
import type { RequestInput, Route } from '../api/handle.ts'
import type { RequestMetadata } from '../api/plain-route.ts'
import { parseRequestUrl } from '../api/request-url.ts'
import { createJsonBodyParser } from '../core/json/json.ts'
import { KIB, MIB } from '../core/limits.ts'
import type { BodyAllocation, BodyMemory } from '../relay/request/body-memory.ts'
import type { LiveCall } from '../relay/request/client-presence.ts'
import {
  authenticateApiCall,
  checkSignInSite,
  confirmSession,
  createSession,
  endSession,
  isOwnScript,
  type RequestIdentity,
  storeSignInState,
  takeSignInState,
  USER_HEADER,
} from './authenticate.ts'
import { clientNetwork } from './client-address.ts'
import { createDeviceCookie, readDevice } from './device-cookie.ts'
import { endWithAccess } from './end-with-access.ts'
import { apiLanguage, errorEnvelope, notFoundResponse, toEnvelope } from './envelope.ts'
import {
  createFirstStepCookie,
  dropFirstStep,
  findFirstStep,
  firstStepError,
  requireEnrolment,
} from './first-step.ts'
import { type CallLimitDeps, CallLimits } from './rate-limits.ts'
import { readForm, readRequestText } from './request-body.ts'

const SEE_OTHER = 303

export interface ApiApp {
  fetch(request: Request, metadata: RequestMetadata): Response | Promise<Response>
}

interface ApiAppDeps extends ApiDeps, CallLimitDeps {
  readonly routes: readonly Route[]
  readonly actFor: ActFor
  readonly bodyMemory: BodyMemory
  /** Downloads are among what is open. */
  readonly openCalls: Set<LiveCall>
  /** Runs after each call that may have changed something, before the response is sent. */
  readonly afterChange: () => Promise<void>
}

type LimitedDeps = ApiAppDeps & { readonly limits: CallLimits }

/** The management API as one function from request to response. */
export function createApiApp(deps: ApiAppDeps): ApiApp {
  const app: ApiHono = new Hono()
  const limits = new CallLimits(deps, () => deps.settings.current().values)
  app.use(compress())
  for (const route of staticFirst(deps.routes)) {
    const { method, path } = route.endpoint
    app.on(method, withAndWithoutSlash(path), c =>
      respond(
        route,
        { request: c.req.raw, params: c.req.param(), query: c.req.query(), metadata: c.env },
        { ...deps, limits },
      ),
    )
  }
  app.notFound(c => notFoundResponse(c.req.raw))
  return { fetch: (request, metadata) => app.fetch(request, metadata) }
}

/** Every route is served with and without a trailing slash. */
function withAndWithoutSlash(path: string): string[] {
  const bare = path.replace(/\/$/, '')
  return [bare, `${bare}/`]
}

type ApiHono = Hono<{ Bindings: RequestMetadata }>

/** Routes without parameters come first, so that `/api/channel/search` is not taken for a channel id. */
const staticFirst = (routes: readonly Route[]): readonly Route[] =>
  routes.toSorted((a, b) => countParameters(a) - countParameters(b))

const countParameters = ({ endpoint }: Route): number => endpoint.path.split(':').length

interface ApiRequest extends Pick<RequestInput, 'params' | 'query'> {
  readonly request: Request
  readonly metadata: RequestMetadata
}

async function respond(route: Route, call: ApiRequest, deps: LimitedDeps): Promise<Response> {
  const { request, metadata } = call
  const page = consolePageOf(route, request)
  if (page) return new Response(null, { status: SEE_OTHER, headers: { location: metadata.basePath + page } })
  const language = apiLanguage(request)
  const cookies: string[] = []
  let body: BodyAllocation | undefined
  try {
    const identity = await authenticateWithinLimits(request, route, metadata, deps)
    await requireEnrolment(identity, route.endpoint, deps)
    const { caller: person } = identity
    const readerKey = person.id === 0 ? metadata.clientIp : String(person.id)
    const context: ApiContext = {
      ...deps,
      caller: await deps.actFor(person, { headers: request.headers, endpoint: route.endpoint }),
      reader: deps.readers.forCaller({ key: readerKey, signal: request.signal }),
      session: sessionControls(identity, cookies, { request, deps, scope: metadata }),
      language,
      clientIp: metadata.clientIp,
      network: metadata.network,
      requestId: metadata.requestId,
      willChange: async () => undefined,
      signal: request.signal,
    }
    body = deps.bodyMemory.open(person.id === 0 ? clientNetwork(metadata.clientIp) : `user ${person.id}`)
    const onRead = (bytes: number) =>
      deps.limits.takeBody(bytes, { caller: person, address: metadata.clientIp })
    const reply = await route.run(context, { ...call, body: await readBody(request, route, body, onRead) })
    if (request.method !== 'GET') await deps.afterChange()
    const response =
      reply instanceof Response ? endWithAccess(reply, identity, deps.openCalls) : toEnvelope(reply)
    return withCookies(response, cookies)
  } catch (error) {
    const response = errorEnvelope(error, language, { log: deps.log, requestId: metadata.requestId })
    return withCookies(response, cookies)
  } finally {
    body?.release()
  }
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

/** Where a browser that navigates to an endpoint goes on; undefined for calls of scripts and of the console. */
function consolePageOf({ endpoint: { consolePage } }: Route, { headers, url }: Request): string | undefined {
  const isNavigation = !headers.has(USER_HEADER) && (headers.get('accept') ?? '').includes('text/html')
  return consolePage && isNavigation ? consolePage + parseRequestUrl(url).search : undefined
}

/** Authenticates and charges the call. Those that are refused are charged too, to the budget of their network. */
async function authenticateWithinLimits(
  request: Request,
  { endpoint }: Route,
  { clientIp: address }: RequestMetadata,
  deps: LimitedDeps,
): Promise<RequestIdentity> {
  const charge = (caller: ApiCaller) => deps.limits.takeCall(endpoint, { caller, address })
  const identity = await authenticateApiCall(request, endpoint, address, deps).catch(
    async (error: unknown) => {
      await charge(VISITOR)
      throw error
    },
  )
  await charge(identity.caller)
  return identity
}

/** Forms for visitors are short; administrators import lists of channels. */
const VISITOR_BODY_BYTES_MAX = 16 * KIB
const USER_BODY_BYTES_MAX = 256 * KIB
const BODY_BYTES_MAX = 2 * MIB
/** Above the largest batch and the longest list of an import. */
const JSON_LIMITS = { keysMax: 10_000, elementsMax: 20_000, textCharsMax: Number.POSITIVE_INFINITY }
const BYTES_MAX_BY_ROLE: Readonly<Record<Role, number>> = {
  visitor: VISITOR_BODY_BYTES_MAX,
  user: USER_BODY_BYTES_MAX,
  admin: BODY_BYTES_MAX,
  root: BODY_BYTES_MAX,
}

/** `onRead` is told the length of a body before it is parsed, and may throw. */
async function readBody(
  request: Request,
  { endpoint }: Route,
  memory: BodyAllocation,
  onRead: (bytes: number) => Promise<void>,
): Promise<unknown> {
  if (request.method === 'GET' || request.body === null) return undefined
  const { role, bodyBytesMax, accepts } = endpoint
  const limits = { bytesMax: bodyBytesMax ?? BYTES_MAX_BY_ROLE[role], memory }
  if (accepts === 'form') {
    const fields = await readForm(request, limits)
    await onRead(memory.takenBytes())
    return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  }
  const { push, isBlank, parse } = createJsonBodyParser(JSON_LIMITS)
  await readRequestText(request, limits, push)
  await onRead(memory.takenBytes())
  return isBlank() ? undefined : parse().value
}

function sessionControls(
  { caller, sessionHash, authenticatedAt }: RequestIdentity,
  cookies: string[],
  { request, deps, scope }: { request: Request; deps: ApiAppDeps; scope: RequestMetadata },
): SessionControls {
  const rememberDevice = (userId: number): void => {
    if (readDevice(request, userId, deps.secrets) === undefined)
      cookies.push(createDeviceCookie(userId, scope, deps.secrets))
  }
  return {
    exists: caller.id !== 0 && sessionHash !== undefined,
    isOwnScript: isOwnScript(request),
    idHash: sessionHash,
    authenticatedAt,
    async open(userId, tx = deps.db, factor) {
      checkSignInSite(request)
      const store = { ...deps, db: tx }
      if (factor === 'given') cookies.push(dropFirstStep(scope))
      else if (caller.id !== userId && (await deps.events.factorsOf(tx, userId)).length > 0) {
        cookies.push(await createFirstStepCookie(userId, scope, store))
        throw firstStepError('factor_required')
      }
      if (caller.id === 0) await endSession(sessionHash, scope, store)
      cookies.push(await createSession(userId, request, scope, store))
      rememberDevice(userId)
    },
    rememberDevice,
    async saveSignInState(state) {
      const cookie = await storeSignInState(sessionHash, state, scope, deps)
      if (cookie !== undefined) cookies.push(cookie)
    },
    takeSignInState: () => takeSignInState(sessionHash, deps),
    close: async () => void cookies.push(await endSession(sessionHash, scope, deps)),
    deviceOf: userId => readDevice(request, userId, deps.secrets),
    findFirstStep: (tx = deps.db) => findFirstStep(request, { ...deps, db: tx }),
    async confirm(factor) {
      if (factor !== 'given' && (await deps.events.factorsOf(deps.db, caller.id)).length > 0)
        throw firstStepError('factor_required')
      await confirmSession(sessionHash, deps)
    },
  }
}

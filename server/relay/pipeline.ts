import { elapsedMs } from '../core/clock.ts'
import { GatewayError } from '../core/errors.ts'
import { preferredLanguage } from '../core/language.ts'
import { authenticate } from './admission/authenticate.ts'
import { type Admission, admitFurther, limitLookups, limitRate, UNLIMITED } from './admission/rate-limit.ts'
import { requireBalance } from './admission/require-balance.ts'
import { estimateHold, type Reservation, reserve } from './billing/hold.ts'
import { release, settleAbandoned } from './billing/settle.ts'
import { respondWithTokenCount, tokenCount } from './operations/count-tokens.ts'
import { withBetaHeader } from './realtime/conversation.ts'
import type { RelayContext } from './relay-context.ts'
import type { ClientConnection } from './request/client-connection.ts'
import { ClientPresence } from './request/client-presence.ts'
import { parseRequest } from './request/parse-request.ts'
import { permitForCaller } from './request/request-policy.ts'
import { errorResponse, streamedErrorResponse } from './response/error-response.ts'
import { respond } from './response/respond.ts'
import {
  dialectOfPath,
  findRoute,
  type LookupRoute,
  type OperationRoute,
  toCanonicalPath,
} from './routes/routes.ts'
import { chooseRoute, type RoutePlan, withCurrentState } from './routing/choose-route.ts'
import { parseTaskRequest } from './tasks/parse-task-request.ts'
import type { TaskRequest } from './tasks/platform.ts'
import { submitTask } from './tasks/submit-task.ts'
import { estimateTaskHold } from './tasks/task-bill.ts'
import { respondToPublicTask, respondToTaskLookup, taskErrorResponse } from './tasks/task-responses.ts'
import { findTaskRoute, type TaskRoute } from './tasks/task-routes.ts'
import type { RelayCall, RelayRequest, RequestArrival } from './types.ts'
import { CallAbandoned, type RespondedUpstream, tryChannels } from './upstream/try-channels.ts'

/**
 * Serves one client call, however it ends. Every request that costs money takes the same steps until the money is
 * reserved; then a task is submitted, and any other request gets the response of a channel.
 */
export async function relay(
  httpRequest: Request,
  connection: ClientConnection,
  context: RelayContext,
): Promise<Response> {
  const { url, requestId } = connection
  const route =
    findRoute(httpRequest, url, context.paths) ??
    findTaskRoute(httpRequest.method, url.pathname, context.taskPaths)
  const language = preferredLanguage(httpRequest.headers.get('accept-language'), 'en')
  if (route?.type === 'public task') return respondToPublicTask(route, connection, language, context)
  const traceContext = context.tracing?.begin(httpRequest.headers)
  const arrival: RequestArrival = { requestId, startedMs: elapsedMs(), traceContext, language }
  let admission: Admission | undefined
  let request: RelayRequest | TaskRequest | undefined
  let reservation: Reservation | undefined
  let client: ClientPresence | undefined
  try {
    if (!route) throw unknownRoute(httpRequest.method, url.pathname)
    const caller = await authenticate(httpRequest, connection, route.auth, context)
    const call = { httpRequest, connection, arrival, caller }
    if (route.type === 'lookup' || route.type === 'task lookup') return await lookUp(route, call, context)
    admission = await admit(route, call, context)
    if (!isTokenCount(route)) requireBalance(caller, context)
    const parsed = await parse(route, call, context)
    const bound = isTask(parsed) ? parsed : await adapt(parsed, context)
    const counted = toCounted(bound)
    if (counted) {
      await context.hooks.inspectRequest?.inspectBody(counted)
      return await admission.complete(await respondWithTokenCount(counted, context, httpRequest.signal))
    }
    request = bound
    await context.hooks.inspectRequest?.inspectBody(request)
    const { plan, hold } = await planWithCurrentState(request, context)
    const instead = isTask(request) ? undefined : await context.hooks.respondInstead?.(request, plan, call)
    if (instead) return await admission.complete(instead)
    reservation = await reserve(hold, context)
    if (isTask(request))
      return await admission.complete(await submitTask({ request, plan, reservation }, context))
    client = new ClientPresence(httpRequest.signal, context)
    const upstream = await tryChannels(request, plan, context, client)
    rememberSession(request, upstream, context)
    const response = await respond(request, { upstream, reservation }, { ...call, client }, context)
    return await admission.complete(response)
  } catch (error) {
    client?.end()
    const { headers } = httpRequest
    return fail({ error, route, headers, arrival, admission, request, reservation }, connection, context)
  }
}

/** The request as its group and token let it through, bound to an account, and as features change it. */
async function adapt(request: RelayRequest, context: RelayContext): Promise<RelayRequest> {
  const bound = await bindToAccount(toPermitted(request, context), context)
  return context.hooks.adaptRequest ? context.hooks.adaptRequest(bound) : bound
}

/** Counting tokens is free for every purpose. */
const toPermitted = (request: RelayRequest, { settings }: RelayContext): RelayRequest =>
  request.operation === tokenCount ? request : permitForCaller(request, settings)

/** Binds a request to the account that alone can read what it refers to. Throws GatewayError as `AccountHandles.find`. */
async function bindToAccount(request: RelayRequest, { accountHandles }: RelayContext): Promise<RelayRequest> {
  const references = request.client.readAccountReferences?.(request.clientBody)
  if (!references) return request
  const boundAccount = await accountHandles.find(references, request.caller.userId)
  return { ...request, boundAccount }
}

function rememberSession(
  { session }: RelayRequest,
  { responder: { channel } }: RespondedUpstream,
  { sessionAffinity }: RelayContext,
): void {
  if (session !== undefined)
    sessionAffinity.remember(session, { channelId: channel.id, key: channel.view.key })
}

/** A response in the background was admitted when it was requested. */
async function admit(
  route: OperationRoute | TaskRoute,
  call: RelayCall,
  context: RelayContext,
): Promise<Admission> {
  if (call.connection.isBackground) return UNLIMITED
  const rates = await limitRate(call.caller, { includesUser: route.type === 'operation' }, context)
  return context.hooks.admit ? admitFurther(rates, context.hooks.admit(call)) : rates
}

/** A request that only counts tokens. */
const toCounted = (request: RelayRequest | TaskRequest): RelayRequest | undefined =>
  !isTask(request) && request.operation === tokenCount ? request : undefined

/** Counting tokens is free. */
const isTokenCount = (route: OperationRoute | TaskRoute): boolean =>
  route.type === 'operation' && route.operation === tokenCount

/** Responds to a query that calls no model. It is free. */
async function lookUp(
  route: LookupRoute | TaskRoute,
  call: RelayCall,
  context: RelayContext,
): Promise<Response> {
  await limitLookups(call.caller, context)
  if (route.type !== 'lookup') return respondToTaskLookup(route, call, context)
  if (route.needsBalance) requireBalance(call.caller, context)
  const client = context.dialects.get(route.dialect)
  const { urlParams, id, itemId } = route
  const query = {
    ...call,
    client,
    model: urlParams.model,
    id,
    itemId,
  }
  return route.lookup(query, context)
}

function parse(
  route: OperationRoute | TaskRoute,
  call: RelayCall,
  context: RelayContext,
): Promise<RelayRequest | TaskRequest> {
  if (route.type !== 'operation') return parseTaskRequest(route, call, context)
  const { operation, dialect, urlParams } = route
  const { arrival, caller, connection, httpRequest } = call
  const client = context.dialects.get(dialect)
  const headers = operation.isConversation ? withBetaHeader(httpRequest.headers) : httpRequest.headers
  return parseRequest({ ...arrival, caller, operation, client, urlParams, headers }, connection, context)
}

const isTask = (request: RelayRequest | TaskRequest): request is TaskRequest => 'taskPlatform' in request

/** Plans the route and the hold. Throws GatewayError when no channel serves the model, or it has no price. */
const planWithCurrentState = (request: RelayRequest | TaskRequest, context: RelayContext) =>
  withCurrentState(() => {
    const plan = chooseRoute(request, context)
    return { plan, hold: estimate(request, plan, context) }
  }, context.refreshState)

const estimate = (
  request: RelayRequest | TaskRequest,
  { channels }: RoutePlan,
  { settings }: RelayContext,
) =>
  isTask(request)
    ? estimateTaskHold(request, settings)
    : estimateHold(
        request,
        settings,
        channels.flatMap(({ region }) => region ?? []),
      )

interface Failing {
  readonly error: unknown
  readonly route: OperationRoute | LookupRoute | TaskRoute | undefined
  readonly headers: Headers
  readonly arrival: RequestArrival
  readonly admission: Admission | undefined
  /** Undefined when the call failed before its body was parsed. */
  readonly request: RelayRequest | TaskRequest | undefined
  readonly reservation: Reservation | undefined
}

/** Closes the hold and renders the error. */
async function fail(call: Failing, connection: ClientConnection, context: RelayContext): Promise<Response> {
  const { route, headers, arrival, admission, request } = call
  const error = await closeHold(call, context)
  reportFailure(error, call, context)
  const { url } = connection
  if (route && 'platform' in route) {
    await admission?.cancel()
    return taskErrorResponse(error, route.platform, arrival, context)
  }
  const dialect = context.dialects.get(route?.dialect ?? dialectOfPath(url.pathname, headers))
  const response =
    (request && !isTask(request) && streamedErrorResponse(error, request)) ||
    errorResponse(error, dialect, arrival, context)
  if (!request) {
    await admission?.cancel()
    return response
  }
  const shown = request.caller.token ? response : hideUnauthorized(response)
  return admission ? admission.complete(shown) : shown
}

function reportFailure(
  error: unknown,
  { arrival, request }: Failing,
  { observer, hooks }: RelayContext,
): void {
  if (!request) observer.requestRejected({ ...arrival, error })
  else if (!(error instanceof CallAbandoned)) observer.requestFailed({ request, error })
  hooks.failed?.({ ...arrival, error, request })
}

/** Returns the error to report: the original one, or the one that prevented the closing. */
async function closeHold({ error, request, reservation }: Failing, context: RelayContext): Promise<unknown> {
  // A task that fails releases its hold itself, since the hold may already belong to a stored task.
  if (!request || !reservation || isTask(request)) return error
  try {
    if (error instanceof CallAbandoned) await settleAbandoned(request, error, reservation, context)
    else await release(request, reservation.hold, error, context)
    return error
  } catch (closingError) {
    return closingError
  }
}

const STATUS_UNAUTHORIZED = 401
const STATUS_BAD_GATEWAY = 502

/** The console signs the user out on 401, which must not happen when a provider rejects our key in the playground. */
const hideUnauthorized = (response: Response): Response =>
  response.status === STATUS_UNAUTHORIZED
    ? new Response(response.body, { status: STATUS_BAD_GATEWAY, headers: response.headers })
    : response

/** Paths of the OpenAI API that exist but are not implemented here, as opposed to mistyped ones. */
const NOT_IMPLEMENTED = /^(\w+ \/v1\/(edits|files|fine-tunes)|DELETE \/v1\/models)(\/|$)/
const CUSTOM_VOICES = /^\w+ \/v1\/audio\/(voices|voice_consents)(\/|$)/

function unknownRoute(method: string, pathname: string): GatewayError {
  const call = `${method} ${toCanonicalPath(pathname).path}`
  if (CUSTOM_VOICES.test(call))
    return new GatewayError('api_not_implemented', {
      zh: '自定义音色属于上游账户，请在上游创建和删除，然后在语音请求的 voice 中填写其 ID；GET /v1/audio/voices 返回公共音色',
      en: 'custom voices belong to the account of their provider: create and delete them there, then send the ID as the voice of a speech request; GET /v1/audio/voices lists the public voices',
    })
  return NOT_IMPLEMENTED.test(call)
    ? new GatewayError('api_not_implemented', {
        zh: `未实现 ${method} ${pathname}`,
        en: `${method} ${pathname} is not implemented`,
      })
    : new GatewayError('not_found', {
        zh: `没有接口 ${method} ${pathname}`,
        en: `there is no endpoint ${method} ${pathname}`,
      })
}

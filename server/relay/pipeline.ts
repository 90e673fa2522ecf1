import { elapsedMs } from '../core/clock.ts'
import { type ErrorCode, GatewayError } from '../core/errors.ts'
import { preferredLanguage } from '../core/language.ts'
import type { ClientDialect } from '../provider-kit/contract/client-dialect.ts'
import { type Admission, admit } from './admission/admit.ts'
import { authenticate, RejectedToken } from './admission/authenticate.ts'
import { type Reservation, reserve } from './billing/hold.ts'
import type { AnyRequest, Operation, PaidOperation, PaidRequest } from './operation.ts'
import type { RelayContext } from './relay-context.ts'
import type { ClientConnection } from './request/client-connection.ts'
import { errorResponse, logUnexpected } from './response/error-response.ts'
import type { EarlyStream } from './response/response-body.ts'
import { dialectOfPath, findRoute, type RelayRoute } from './routes/routes.ts'
import { unknownRoute } from './routes/unknown-route.ts'
import { toClientError } from './routing/attempts.ts'
import { chooseRoute, withCurrentState } from './routing/choose-route.ts'
import type { Caller, RelayCall, RequestArrival } from './types.ts'
import { CallAbandoned } from './upstream/try-channels.ts'

export interface PipelineContext extends RelayContext {
  /** The paths of features. */
  readonly paths: readonly RelayRoute[]
}

/**
 * Serves one client call, however it ends. Every request that costs money takes the same steps until the money is
 * reserved; then its operation responds.
 */
export async function relay(
  httpRequest: Request,
  connection: ClientConnection,
  context: PipelineContext,
): Promise<Response> {
  const { url, requestId } = connection
  const { headers } = httpRequest
  const language = preferredLanguage(headers.get('accept-language'), 'en')
  const route = findRoute(httpRequest, url, context.paths)
  if (route?.auth === 'none')
    return route.target({ connection, params: route.params, requestId, language }, context)
  const traceContext = context.tracing?.begin(headers)
  const arrival: RequestArrival = { requestId, startedMs: elapsedMs(), traceContext, language }
  const client = context.dialects.get(route?.dialect ?? dialectOfPath(url.pathname, headers))
  let caller: Caller | undefined
  let admission: Admission | undefined
  let request: AnyRequest | undefined
  let reservation: Reservation | undefined
  let early: EarlyStream | undefined
  const failing = (error: unknown) => {
    const operation = route?.target
    return fail(
      { error, operation, arrival, client, caller, admission, request, reservation, early },
      context,
    )
  }
  try {
    if (!route) throw unknownRoute(httpRequest, url.pathname)
    const { target: operation, params } = route
    caller = await authenticate(httpRequest, connection, route.auth, context)
    const call: RelayCall = { httpRequest, connection, arrival, caller, client, params }
    admission = await admit(call, operation, context)
    if (operation.finishes === 'lookup')
      return await admission.complete(
        await context.processorBudget.runLookup(call, () => operation.respond(call, context)),
      )
    const parsed = await operation.parse(call, context)
    // From here on a request that is paid for leaves a row when it fails.
    if (operation.finishes !== 'free') request = parsed
    await context.hooks.inspectRequest?.inspectBody(parsed)
    if (operation.finishes === 'free')
      return await admission.complete(await operation.respond(parsed, call, context))
    const planned = await planWithCurrentState(parsed, operation, context)
    const instead = await operation.respondInstead?.(parsed, planned, call, context)
    if (instead) return await admission.complete(instead)
    const paid = await reserveOrBend(planned, operation, context)
    ;({ request, reservation } = paid)
    early = operation.streamEarly?.(paid, call, context)
    const responding = operation
      .run(paid, { ...call, early }, context)
      .then(admission.complete)
      .catch(failing)
    return await (early ? early.follow(responding) : responding)
  } catch (error) {
    return failing(error)
  }
}

/** Plans the route and the hold. Throws GatewayError when no channel serves the model, or it has no price. */
const planWithCurrentState = (request: AnyRequest, operation: PaidOperation, context: RelayContext) =>
  withCurrentState(() => {
    const plan = chooseRoute(request, context)
    return { request, plan, hold: operation.estimate(request, plan, context) }
  }, context.refreshState)

/** Reserves for the request or, where a budget's rule demands it, for one with a cheaper model. Throws as `reserve`. */
async function reserveOrBend(
  { hold, ...planned }: Awaited<ReturnType<typeof planWithCurrentState>>,
  operation: PaidOperation,
  context: RelayContext,
): Promise<PaidRequest<AnyRequest>> {
  try {
    return { ...planned, reservation: await reserve(hold, context) }
  } catch (error) {
    const { bend } = operation
    if (!(error instanceof GatewayError) || !error.bend || !bend) throw error
    const rule = { ...error.bend, price: hold.price }
    const replan = async () => planWithCurrentState(bend(planned.request, rule, context), operation, context)
    // The client does not know the other model: it learns of the budget.
    const bent = await replan().catch(cause => {
      throw UNUSABLE.has(cause?.code) ? error : cause
    })
    return reserveOrBend(bent, operation, context)
  }
}

const UNUSABLE: ReadonlySet<unknown> = new Set<ErrorCode>([
  'model_not_allowed',
  'model_not_found',
  'model_price_missing',
])

interface Failing {
  readonly error: unknown
  /** Undefined for an unknown path. */
  readonly operation: Operation | undefined
  readonly arrival: RequestArrival
  readonly client: ClientDialect
  /** Undefined when the call was not authenticated. */
  readonly caller: Caller | undefined
  readonly admission: Admission | undefined
  /** Undefined when the call failed before its body was parsed, or is free. */
  readonly request: AnyRequest | undefined
  readonly reservation: Reservation | undefined
  readonly early: EarlyStream | undefined
}

/** Closes the hold and renders the error. */
async function fail(call: Failing, context: RelayContext): Promise<Response> {
  const { operation, arrival, client, caller, admission, request, early } = call
  const error = await closeHold(call, context)
  if (caller && toRejectedCall(call))
    await context.failureLimit.countRejected(caller, toClientError(error).status)
  reportFailure(error, call, context)
  logUnexpected(error, arrival, context)
  const isStreaming = early?.decide() === true
  const response =
    operation?.writeError?.(error, { arrival, request, isStreaming }) ?? errorResponse(error, client, arrival)
  if (!request || response.ok) {
    await admission?.cancel()
    return response
  }
  const shown = request.caller.token ? response : hideUnauthorized(response)
  return admission ? admission.complete(shown) : shown
}

function reportFailure(error: unknown, call: Failing, { observer, hooks }: RelayContext): void {
  const { arrival, request } = call
  if (!request) observer.requestRejected({ ...arrival, error })
  else if (!(error instanceof CallAbandoned)) observer.requestFailed({ request, error })
  hooks.failed?.({ ...arrival, error, request, rejected: toRejectedCall(call) })
}

/** Undefined for calls that are free, whose caller is unknown, or whose hold leaves a row. */
function toRejectedCall({ error, operation, client, caller, request, reservation }: Failing) {
  if (reservation || (operation?.finishes !== 'now' && operation?.finishes !== 'later')) return undefined
  const owner = error instanceof RejectedToken ? error.owner : (request?.caller ?? caller)
  return owner && { owner, dialect: client.name }
}

/** Returns the error to report: the original one, or the one that prevented the closing. */
async function closeHold(
  { error, operation, request, reservation }: Failing,
  context: RelayContext,
): Promise<unknown> {
  if (!request || !reservation || !operation || !('closeHold' in operation)) return error
  try {
    await operation.closeHold?.(error, { request, reservation }, context)
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

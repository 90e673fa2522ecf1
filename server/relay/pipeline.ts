import { elapsedMs } from '../core/clock.ts'
import { GatewayError } from '../core/errors.ts'
import type { Hold } from '../ledger/ledger.ts'
import { type Reserved, estimateHold } from './billing/estimate-hold.ts'
import { createHoldExtender } from './billing/extend-hold.ts'
import { release, settle } from './billing/settle.ts'
import type { Outcome } from './billing/usage-to-charge.ts'
import { countTokens } from './operations/count-tokens.ts'
import { getModel, listModels } from './operations/list-models.ts'
import { subscriptionResponse, usageResponse } from './operations/openai-billing.ts'
import { dialectOfPath, findRoute } from './operations/routes.ts'
import { tokenCount } from './operations/token-count.ts'
import { converse } from './realtime/converse.ts'
import { withBetaHeader } from './realtime/realtime-headers.ts'
import type { RelayContext } from './relay-context.ts'
import { authenticate, authenticateSession } from './request/authenticate.ts'
import type { Caller } from './request/caller.ts'
import { rejectSensitiveWords } from './request/check-sensitive-words.ts'
import type { ClientConnection } from './request/client-connection.ts'
import { parseRequest, readSent, type Wanted } from './request/parse-request.ts'
import { limitRate } from './request/rate-limit.ts'
import { type RelayRequest, type ActiveRequest, toActiveRequest } from './request/relay-request.ts'
import { requestAddress } from './request/request-url.ts'
import { errorResponse } from './response/error-response.ts'
import { jsonResponse } from './response/json-response.ts'
import { PassthroughResponse } from './response/passthrough-response.ts'
import { StreamResponse, stream } from './response/stream-response.ts'
import { createTranscoder } from './response/transcode.ts'
import { routeOrder } from './routing/choose-route.ts'
import { sessionOf } from './routing/session-affinity.ts'
import { relayTask } from './tasks/task-pipeline.ts'
import { isTaskPath } from './tasks/task-routes.ts'
import type { Answer, WholeAnswer } from './upstream/call-channel.ts'
import { type Answered, attempt } from './upstream/try-channels.ts'

/** Answers one call of a client, whatever happens. The way of every request, from top to bottom. */
export async function relay(request: Request, door: ClientConnection, gateway: RelayContext): Promise<Response> {
  const url = requestAddress(request.url)
  if (isTaskPath(url.pathname)) return relayTask(request, door, gateway)
  const startedMs = elapsedMs()
  const traceContext = gateway.tracing?.begin(request.headers)
  const found = findRoute(request, url)
  const client = gateway.dialects.get(found?.route.dialect ?? dialectOfPath(url.pathname))
  try {
    if (!found) throw notServed(request.method, url.pathname)
    const { route, address } = found
    const { work } = route
    const caller =
      route.auth === 'session'
        ? await authenticateSession(request, door)
        : await authenticate(request, url, door, gateway)
    if (work === 'list-models') return listModels(caller, client, gateway)
    if (work === 'get-model') return getModel(address.model ?? '', caller, client, gateway)
    if (work === 'billing-subscription') return await subscriptionResponse(caller, gateway)
    if (work === 'billing-usage') return await usageResponse(caller, gateway)
    const headers = work.isConversation ? withBetaHeader(request.headers) : request.headers
    const wanted = { operation: work, client, address, headers, traceContext, startedMs }
    return await limitRate({ request, door, caller, wanted }, gateway, answerWanted)
  } catch (error) {
    gateway.watch.refused({ requestId: door.requestId, startedMs, traceContext, error })
    return errorResponse(error, client, door, gateway)
  }
}

interface Asking {
  readonly request: Request
  readonly door: ClientConnection
  readonly caller: Caller
  readonly wanted: Wanted
}

/** Answers what was understood, whatever happens. Throws GatewayError for what was not. */
async function answerWanted(asking: Asking, gateway: RelayContext): Promise<Response> {
  const { request, door, caller, wanted } = asking
  const settings = gateway.settings.current()
  const sent = { requestId: door.requestId, body: await readSent(door, wanted) }
  door.disableIdleTimeout()
  const order = parseRequest(sent, wanted, caller, settings)
  if (wanted.operation === tokenCount) return countTokens(order, gateway, request)
  const served: Served = { order, request, door }
  try {
    rejectSensitiveWords(order, settings)
    const session = sessionOf(order)
    const trial = routeOrder(order, session, gateway)
    const reserved = estimateHold(order, gateway)
    await gateway.ledger.reserve(reserved.hold)
    served.reserved = reserved
    const answered = await attempt(order, trial, gateway, request)
    served.answered = answered
    gateway.affinity.keep(session, answered.adapted.channel.id)
    return await answer({ order, request, door, answered, reserved }, gateway)
  } catch (error) {
    return answerFailed(served, error, gateway)
  }
}

/** How far a request has come. */
interface Served {
  readonly order: RelayRequest
  readonly request: Request
  readonly door: ClientConnection
  /** It holds money that must be given back when it fails. */
  reserved?: Reserved
  /** A vendor's answer has begun. */
  answered?: Answered
}

type Begun = Required<Served>

/** Gives the hold back and says why. What prevents that is told instead of the cause. */
async function answerFailed(served: Served, cause: unknown, gateway: RelayContext): Promise<Response> {
  const { order, door, reserved, answered } = served
  let error = cause
  answered?.visit.end('no verdict')
  try {
    if (reserved) await release(order, reserved.hold, cause, gateway)
  } catch (prevented) {
    error = prevented
  }
  gateway.watch.failed({ order, error })
  const told = errorResponse(error, order.client, door, gateway)
  return order.caller.token ? told : leavingSignedIn(told)
}

const STATUS_SIGNED_OUT = 401
const STATUS_VENDOR_FAILED = 502

/** To the console 401 says that nobody is signed in; in its playground a vendor that refuses our key must not say that. */
const leavingSignedIn = (told: Response): Response =>
  told.status === STATUS_SIGNED_OUT
    ? new Response(told.body, { status: STATUS_VENDOR_FAILED, headers: told.headers })
    : told

/** The answer's way to the client. From here on the hold is closed by whatever ends the answer. */
function answer(begun: Begun, gateway: RelayContext): Promise<Response> | Response {
  const { order, answered, reserved } = begun
  const { adapted, answer: first } = answered
  if (first.kind !== 'whole') return answerInPieces({ ...begun, order: toActiveRequest(order) }, first, gateway)
  const { price, hold } = reserved
  return jsonResponse({ order, adapted, answer: first }, gateway.egress, outcome =>
    settle({ order, answered, hold, price, outcome }, gateway),
  )
}

interface Underway extends Omit<Begun, 'order'> {
  readonly order: ActiveRequest
}

function answerInPieces(
  { order, request, door, answered, reserved }: Underway,
  begun: Exclude<Answer, WholeAnswer>,
  gateway: RelayContext,
): Promise<Response> | Response {
  const { price, hold } = reserved
  const close = (outcome: Outcome, held: Hold = hold) =>
    settle({ order, answered, hold: held, price, outcome }, gateway)
  if (begun.kind === 'passed')
    return streamed(new PassthroughResponse({ order, answer: begun, close }), begun.contentType, { request, door })
  const coverage = createHoldExtender({ ...reserved, inputTokens: order.inputTokens }, gateway.ledger)
  const closeCovered = (outcome: Outcome) => close(outcome, coverage.hold())
  if (begun.kind === 'socket')
    return converse({ order, upstream: begun.socket, coverage, close: closeCovered }, request.headers, door)
  const { stream: dialect } = order.dialect
  if (!dialect) throw new GatewayError('api_not_implemented', `${order.operation.name} cannot be streamed`)
  const translation = createTranscoder(dialect, order.context, answered.adapted, begun.isPassage)
  const flow = new StreamResponse({ order, answer: begun, translation, coverage, close: closeCovered })
  return streamed(flow, dialect.contentType(order.context), { request, door })
}

async function streamed(
  flow: StreamResponse | PassthroughResponse,
  contentType: string,
  { request: { signal }, door }: Pick<Served, 'request' | 'door'>,
): Promise<Response> {
  if (signal.aborted) await flow.leave()
  signal.addEventListener('abort', () => void flow.leave(), { once: true })
  return new Response(stream(flow, door.startStreaming()), {
    headers: { ...STREAM_HEADERS, 'content-type': contentType },
  })
}

const STREAM_HEADERS = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' } as const

/** Addresses of the OpenAI API that exist but are not served, told apart from mistyped ones. */
const KNOWN_UNSERVED = /^(\w+ \/v1\/(edits|files|fine-tunes|images\/variations)|DELETE \/v1\/models)(\/|$)/

const notServed = (method: string, path: string): GatewayError =>
  KNOWN_UNSERVED.test(`${method} ${path}`)
    ? new GatewayError('api_not_implemented', `${method} ${path} is not implemented`)
    : new GatewayError('not_found', `there is no ${method} ${path} here`)

import { elapsedMs } from '../../core/clock.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import { RELAY_BODY_BYTES_MAX } from '../../core/limits.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import { isObject, parseJson } from '../../provider-kit/json.ts'
import type { RelayContext } from '../relay-context.ts'
import { authenticate } from '../request/authenticate.ts'
import type { Caller } from '../request/caller.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { limitTokenRate } from '../request/rate-limit.ts'
import { requestAddress } from '../request/request-url.ts'
import { errorResponse, toClientError } from '../response/error-response.ts'
import { AttemptsFailed } from '../upstream/attempts.ts'
import { fetchSeed } from './fetch-seed.ts'
import { orderTask, type TaskArrival, type TaskOrder } from './order-task.ts'
import type { TaskPlatform } from './platform.ts'
import { fetchTask, listTasks } from './read-tasks.ts'
import { receiveNotice } from './receive-notice.ts'
import { seenError, seenFetch, seenTask, TASK_OUTCOME } from './seen-task.ts'
import { showPicture } from './show-picture.ts'
import { submitTask } from './submit-task.ts'
import { TaskRefusal } from './task-refusal.ts'
import { findTaskRoute, type MatchedTaskRoute } from './task-routes.ts'

const POOR: readonly ErrorCode[] = ['insufficient_user_quota', 'insufficient_token_quota']

/** Answers one call of a drawing or music client, whatever happens. */
export async function relayTask(request: Request, door: ClientConnection, gateway: RelayContext): Promise<Response> {
  const url = requestAddress(request.url)
  const found = findTaskRoute(request.method, url.pathname)
  if (found?.work === 'picture' || found?.work === 'notice') return answerOutsider(found, door, gateway)
  const { requestId } = door
  const traceContext = gateway.tracing?.begin(request.headers)
  const arrival = { requestId, startedMs: elapsedMs(), traceContext }
  let order: TaskOrder | undefined
  try {
    if (!found) throw new GatewayError('not_found', `there is no ${request.method} ${url.pathname} here`)
    const caller = await authenticate(request, url, door, gateway)
    if (found.work !== 'submit') return await answerFetch(found, { arrival, caller, door }, gateway)
    await limitTokenRate(caller, gateway)
    order = await orderTask(found, { json: await readBody(door), arrival, caller }, gateway)
    return await submitTask(order, gateway)
  } catch (thrown) {
    const error = seenError(thrown)
    if (order) gateway.watch.failed({ order: seenTask(order), error })
    else gateway.watch.refused({ ...arrival, error })
    return answerTaskError(thrown, found, { door, gateway })
  }
}

/** Whoever shows a picture or gives a notice has no key. */
async function answerOutsider(found: MatchedTaskRoute, door: ClientConnection, gateway: RelayContext): Promise<Response> {
  try {
    return found.work === 'picture'
      ? await showPicture(found.id, gateway)
      : await receiveNotice(found, door, gateway)
  } catch (error) {
    return answerTaskError(error, found, { door, gateway })
  }
}

interface Fetch {
  readonly arrival: TaskArrival
  readonly caller: Caller
  readonly door: ClientConnection
}

async function answerFetch(
  found: MatchedTaskRoute,
  { arrival, caller, door }: Fetch,
  gateway: RelayContext,
): Promise<Response> {
  const response = await fetched(found, caller, door, gateway)
  gateway.watch.answered({
    order: seenFetch({ arrival, caller, platform: found.platform }),
    trace: { attempts: [] },
    outcome: TASK_OUTCOME,
    endedMs: elapsedMs(),
  })
  return response
}

async function fetched(
  found: MatchedTaskRoute,
  caller: Caller,
  door: ClientConnection,
  gateway: RelayContext,
): Promise<Response> {
  if (found.work === 'fetch') return fetchTask(found, caller, gateway)
  return found.work === 'list'
    ? listTasks(found, await readBody(door), caller, gateway)
    : fetchSeed(found, caller, gateway)
}

async function readBody(door: ClientConnection): Promise<JsonObject> {
  const json = parseJson(await door.readText(RELAY_BODY_BYTES_MAX))
  door.disableIdleTimeout()
  if (!isObject(json)) throw new TaskRefusal('invalid_request', 'the body is not a JSON object')
  return json
}

/** What the platform's clients have words for is told in them; the rest as every token route tells it. */
function answerTaskError(
  thrown: unknown,
  found: MatchedTaskRoute | undefined,
  { door, gateway }: { door: ClientConnection; gateway: RelayContext },
): Response {
  const refusal = found && toRefusal(thrown, found.platform)
  return refusal && found
    ? found.platform.writeRefusal(refusal)
    : errorResponse(thrown, gateway.dialects.get('openai'), door, gateway)
}

function toRefusal(thrown: unknown, platform: TaskPlatform): TaskRefusal | undefined {
  if (thrown instanceof TaskRefusal) return thrown
  if (thrown instanceof AttemptsFailed) {
    const { status, message } = toClientError(thrown)
    const word = platform.wordOfFailure(thrown.failure)
    return new TaskRefusal(word, message, { cause: thrown, status, isOfUpstream: true })
  }
  return thrown instanceof GatewayError && POOR.includes(thrown.code)
    ? new TaskRefusal('quota_not_enough', thrown.message, { cause: thrown, status: thrown.status })
    : undefined
}

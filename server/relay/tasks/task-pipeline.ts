import { type ErrorCode, GatewayError } from '../../kernel/errors.ts'
import { RELAY_BODY_BYTES_MAX } from '../../kernel/limits.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import { isObject, parseJson } from '../../provider-kit/json.ts'
import { answerError } from '../answer-error.ts'
import { AttemptsFailed } from '../attempts-failed.ts'
import { authenticate } from '../authenticate.ts'
import { toClientError } from '../client-error.ts'
import type { Door } from '../door.ts'
import type { Gateway } from '../gateway.ts'
import { limitTokenRate } from '../rate-limit.ts'
import { fetchSeed } from './fetch-seed.ts'
import { orderTask } from './order-task.ts'
import type { TaskPlatform } from './platform.ts'
import { fetchTask, listTasks } from './read-tasks.ts'
import { receiveNotice } from './receive-notice.ts'
import { showPicture } from './show-picture.ts'
import { submitTask } from './submit-task.ts'
import { TaskRefusal } from './task-refusal.ts'
import { findTaskRoute, type MatchedTaskRoute } from './task-routes.ts'

const POOR: readonly ErrorCode[] = ['insufficient_user_quota', 'insufficient_token_quota']

/** Answers one call of a drawing or music client, whatever happens. */
export async function relayTask(request: Request, door: Door, gateway: Gateway): Promise<Response> {
  const url = new URL(request.url)
  const found = findTaskRoute(request.method, url.pathname)
  try {
    if (!found) throw new GatewayError('not_found', `there is no ${request.method} ${url.pathname} here`)
    if (found.work === 'picture') return await showPicture(found.id, gateway)
    if (found.work === 'notice') return await receiveNotice(found, door, gateway)
    const caller = await authenticate(request, url, door, gateway)
    if (found.work === 'fetch') return await fetchTask(found, caller, gateway)
    if (found.work === 'list') return await listTasks(found, await readBody(door), caller, gateway)
    if (found.work === 'image-seed') return await fetchSeed(found, caller, gateway)
    await limitTokenRate(caller, gateway)
    const order = await orderTask(found, { json: await readBody(door), door, caller }, gateway)
    return await submitTask(order, gateway)
  } catch (error) {
    return answerTaskError(error, found, { door, gateway })
  }
}

async function readBody(door: Door): Promise<JsonObject> {
  const json = parseJson(await door.readText(RELAY_BODY_BYTES_MAX))
  if (!isObject(json)) throw new TaskRefusal('invalid_request', 'the body is not a JSON object')
  return json
}

/** What the platform's clients have words for is told in them; the rest as every token route tells it. */
function answerTaskError(
  thrown: unknown,
  found: MatchedTaskRoute | undefined,
  { door, gateway }: { door: Door; gateway: Gateway },
): Response {
  const refusal = found && toRefusal(thrown, found.platform)
  return refusal && found
    ? found.platform.writeRefusal(refusal)
    : answerError(thrown, gateway.dialects.get('openai'), door, gateway)
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

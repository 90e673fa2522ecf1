import { elapsedMs } from '../../core/clock.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import type { RelayContext } from '../relay-context.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { errorResponse } from '../response/error-response.ts'
import { AttemptsFailed, toClientError } from '../routing/attempts.ts'
import { fetchSeed } from './fetch-seed.ts'
import { TASK_OUTCOME, toObservedLookup } from './observed-task.ts'
import { readTaskBody, type TaskCall } from './parse-task-request.ts'
import type { TaskPlatform } from './platform.ts'
import { fetchTask, listTasks } from './read-tasks.ts'
import { receiveNotice } from './receive-notice.ts'
import { showPicture } from './show-picture.ts'
import { TaskRefusal } from './task-refusal.ts'
import type { TaskRoute } from './task-routes.ts'

/** Serves an image or receives a vendor's notice. Neither has an API key. */
export async function respondToPublicTask(
  route: TaskRoute,
  connection: ClientConnection,
  context: RelayContext,
): Promise<Response> {
  try {
    return route.work === 'picture'
      ? await showPicture(route.id, context)
      : await receiveNotice(route, connection, context)
  } catch (error) {
    return taskErrorResponse(error, route.platform, connection.requestId, context)
  }
}

/** Responds to a question about the caller's own tasks. Throws TaskRefusal or GatewayError. */
export async function respondToTaskLookup(
  route: TaskRoute,
  { arrival, caller, connection }: TaskCall,
  context: RelayContext,
): Promise<Response> {
  const response = await lookUp(route, { arrival, caller, connection }, context)
  context.observer.requestCompleted({
    request: toObservedLookup({ arrival, caller, platform: route.platform }),
    trace: { attempts: [] },
    outcome: TASK_OUTCOME,
    endedMs: elapsedMs(),
  })
  return response
}

async function lookUp(
  route: TaskRoute,
  { caller, connection }: TaskCall,
  context: RelayContext,
): Promise<Response> {
  if (route.work === 'fetch') return fetchTask(route, caller, context)
  return route.work === 'list'
    ? listTasks(route, await readTaskBody(connection), caller, context)
    : fetchSeed(route, caller, context)
}

/** Renders an error in the platform's words where it has some, otherwise in OpenAI's format. */
export function taskErrorResponse(
  error: unknown,
  platform: TaskPlatform,
  requestId: string,
  context: RelayContext,
): Response {
  const refusal = toRefusal(error, platform)
  return refusal
    ? platform.writeRefusal(refusal)
    : errorResponse(error, context.dialects.get('openai'), requestId, context)
}

const QUOTA_ERRORS: readonly ErrorCode[] = ['insufficient_user_quota', 'insufficient_token_quota']

function toRefusal(error: unknown, platform: TaskPlatform): TaskRefusal | undefined {
  if (error instanceof TaskRefusal) return error
  if (error instanceof AttemptsFailed) {
    const { status, message } = toClientError(error)
    const word = platform.wordOfFailure(error.failure)
    return new TaskRefusal(word, message, { cause: error, status, isOfUpstream: true })
  }
  return error instanceof GatewayError && QUOTA_ERRORS.includes(error.code)
    ? new TaskRefusal('quota_not_enough', error.message, { cause: error, status: error.status })
    : undefined
}

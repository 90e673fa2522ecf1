import { elapsedMs } from '../../core/clock.ts'
import type { LookupOperation, PaidOperation, PublicCall } from '../operation.ts'
import { errorResponse, logUnexpected } from '../response/error-response.ts'
import type { RelayRoute } from '../routes/routes.ts'
import { pollOperation } from '../telemetry/observer.ts'
import type { RelayCall } from '../types.ts'
import { parseTaskRequest } from './parse-task-request.ts'
import type { TaskDeps, TaskPlatform, TaskRequest } from './platform.ts'
import { submitTask, TASK_OUTCOME } from './submit-task.ts'
import { estimateTaskHold } from './task-bill.ts'
import { writeTaskError } from './task-responses.ts'

/** Paths of a task platform. */
export const taskPaths = (platform: TaskPlatform) => ({
  /** Creates a task, which finishes later. */
  submit: (path: RegExp): RelayRoute => ({ ...OF_TASKS, method: 'POST', path, target: submission(platform) }),
  /** Responds to a query for the caller's own tasks. */
  lookUp: (method: 'GET' | 'POST', path: RegExp, respond: TaskResponder<RelayCall>): RelayRoute => ({
    ...OF_TASKS,
    method,
    path,
    target: taskLookup(platform, respond),
  }),
  /** Responds to anyone. */
  publish: (method: 'GET' | 'POST', path: RegExp, respond: TaskResponder<PublicCall>): RelayRoute => ({
    ...OF_TASKS,
    method,
    path,
    auth: 'none',
    target: publicPage(platform, respond),
  }),
})

/** The dialect is for errors that the platform has no words for. */
const OF_TASKS = { dialect: 'openai', auth: 'token' } as const

/** Throws TaskError or GatewayError. */
type TaskResponder<Call> = (call: Call, deps: TaskDeps, platform: TaskPlatform) => Promise<Response>

const submission = (platform: TaskPlatform): PaidOperation<TaskRequest> => ({
  finishes: 'later',
  parse: (call, context) => parseTaskRequest(platform, call, context),
  estimate: (request, _, { settings }) => estimateTaskHold(request, settings),
  run: (task, _, context) => submitTask(task, context),
  writeError: (error, { arrival }) => writeTaskError(error, platform, arrival.language),
})

const taskLookup = (platform: TaskPlatform, respond: TaskResponder<RelayCall>): LookupOperation => ({
  finishes: 'lookup',
  async respond(call, context) {
    const response = await respond(call, context, platform)
    const { arrival, caller } = call
    const operation = { name: pollOperation(platform.name) }
    context.observer.requestCompleted({
      request: { ...arrival, caller, operation, model: '', isStream: false },
      trace: { attempts: [] },
      outcome: TASK_OUTCOME,
      endedMs: elapsedMs(),
    })
    return response
  },
  writeError: (error, { arrival }) => writeTaskError(error, platform, arrival.language),
})

const publicPage =
  (platform: TaskPlatform, respond: TaskResponder<PublicCall>) =>
  async (call: PublicCall, deps: TaskDeps): Promise<Response> => {
    try {
      return await respond(call, deps, platform)
    } catch (error) {
      logUnexpected(error, call, deps)
      return (
        writeTaskError(error, platform, call.language) ??
        errorResponse(error, deps.dialects.get('openai'), call)
      )
    }
  }

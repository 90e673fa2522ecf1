import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import {
  TASK_REJECTED,
  type TaskAdapter,
  type TaskState,
  toTaskTimeMs,
} from '../../provider-kit/contract/task.ts'
import { type Failure, maskSecrets } from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'

const DONE = 'success'
const MS_PER_SECOND = 1000
const REJECTED_STATUS = 500

export const task: TaskAdapter = {
  platform: 'suno',
  submit: {
    request: call => ask(call, call.body.path, call.body.json),
    reply(json) {
      const taskId = asObject(json).code === DONE ? asString(asObject(json).data) : undefined
      if (!taskId) return { kind: 'failure', failure: readRejection(json) }
      const state = { ...toTaskState(taskId, {}), status: 'NOT_START' }
      return {
        kind: 'reply',
        reply: {
          isAccepted: true,
          code: 0,
          description: '',
          state,
          isRepeat: false,
          hasNoAccount: false,
          json: asObject(json),
        },
      }
    },
  },
  poll: {
    request: call => ask(call, '/suno/fetch', { ids: call.body }),
    reply(json) {
      const { code, data } = asObject(json)
      if (code !== DONE) return { kind: 'failure', failure: readRejection(json) }
      return { kind: 'reply', reply: asArray(data).flatMap(toState) }
    },
  },
}

const ask = ({ channel }: AdapterCall<unknown>, path: string, json: JsonObject): UpstreamRequest => ({
  url: channel.baseUrl + path,
  headers: { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json' },
  body: JSON.stringify(json),
})

/** Errors have status 200 and a text code. */
function readRejection(json: unknown): Failure {
  const { code, message } = asObject(json)
  return {
    status: REJECTED_STATUS,
    code: asString(code) || 'upstream_bad_answer',
    type: TASK_REJECTED,
    message: maskSecrets(asString(message) || 'the upstream returned something other than a result'),
  }
}

function toState(item: unknown): TaskState[] {
  const taskId = asString(asObject(item).task_id)
  return taskId && isObject(item) ? [toTaskState(taskId, item)] : []
}

function toTaskState(taskId: string, item: JsonObject): TaskState {
  const failReason = asString(item.fail_reason) ?? ''
  const status = (asString(item.status) ?? '').toUpperCase()
  const outcome = toOutcome(status, failReason)
  return {
    taskId,
    outcome,
    status: outcome === 'failed' ? 'FAILURE' : status,
    progress: outcome === 'open' ? (asString(item.progress) ?? '0%') : '100%',
    failReason,
    submitTimeMs: toTaskTimeMs(item.submit_time, MS_PER_SECOND),
    startTimeMs: toTaskTimeMs(item.start_time, MS_PER_SECOND),
    finishTimeMs: toTaskTimeMs(item.finish_time, MS_PER_SECOND),
    detail: item.data ?? undefined,
  }
}

function toOutcome(status: string, failReason: string): TaskState['outcome'] {
  if (status === 'SUCCESS') return 'succeeded'
  return status === 'FAILURE' || failReason !== '' ? 'failed' : 'open'
}

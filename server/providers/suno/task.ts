import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call, UpstreamRequest } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { maskSecrets } from '../../provider-kit/mask-secrets.ts'
import { TASK_REFUSED, type TaskExchange, type TaskState } from '../../provider-kit/task.ts'
import { taskTime } from '../../provider-kit/task-time.ts'

const DONE = 'success'
const MS_PER_SECOND = 1000
const REFUSED_STATUS = 500

export const task: TaskExchange = {
  platform: 'suno',
  submit: {
    request: call => ask(call, call.body.path, call.body.json),
    reply(json) {
      const taskId = objectOf(json).code === DONE ? textOf(objectOf(json).data) : undefined
      if (!taskId) return { kind: 'failure', failure: refusalOf(json) }
      const state = { ...stateOf(taskId, {}), status: 'NOT_START' }
      return {
        kind: 'reply',
        reply: {
          isAccepted: true,
          code: 0,
          description: '',
          state,
          isRepeat: false,
          isWithoutAccount: false,
          json: objectOf(json),
        },
      }
    },
  },
  poll: {
    request: call => ask(call, '/suno/fetch', { ids: call.body }),
    reply(json) {
      const { code, data } = objectOf(json)
      if (code !== DONE) return { kind: 'failure', failure: refusalOf(json) }
      return { kind: 'reply', reply: listOf(data).flatMap(toState) }
    },
  },
}

const ask = ({ channel }: Call<unknown>, path: string, json: JsonObject): UpstreamRequest => ({
  url: channel.baseUrl + path,
  headers: { authorization: `Bearer ${channel.key}`, 'content-type': 'application/json' },
  body: JSON.stringify(json),
})

/** Errors come with status 200 and a code in words. */
function refusalOf(json: unknown): Failure {
  const { code, message } = objectOf(json)
  return {
    status: REFUSED_STATUS,
    code: textOf(code) || 'upstream_bad_answer',
    type: TASK_REFUSED,
    message: maskSecrets(textOf(message) || 'the upstream answered with something else than a result'),
  }
}

function toState(item: unknown): TaskState[] {
  const taskId = textOf(objectOf(item).task_id)
  return taskId && isObject(item) ? [stateOf(taskId, item)] : []
}

function stateOf(taskId: string, item: JsonObject): TaskState {
  const failReason = textOf(item.fail_reason) ?? ''
  const status = (textOf(item.status) ?? '').toUpperCase()
  const outcome = outcomeOf(status, failReason)
  return {
    taskId,
    outcome,
    status: outcome === 'failed' ? 'FAILURE' : status,
    progress: outcome === 'open' ? (textOf(item.progress) ?? '0%') : '100%',
    failReason,
    submitTimeMs: taskTime(item.submit_time, MS_PER_SECOND),
    startTimeMs: taskTime(item.start_time, MS_PER_SECOND),
    finishTimeMs: taskTime(item.finish_time, MS_PER_SECOND),
    detail: item.data ?? undefined,
  }
}

function outcomeOf(status: string, failReason: string): TaskState['outcome'] {
  if (status === 'SUCCESS') return 'succeeded'
  return status === 'FAILURE' || failReason !== '' ? 'failed' : 'open'
}

import { withStorageTimeout } from '../../core/async.ts'
import { TASK_NOTICE_PURPOSE } from '../../core/crypto.ts'
import { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import { listOwnTasks } from '../../db/system/tasks.ts'
import { findAmbiguousKey } from '../../provider-kit/body-fields.ts'
import { isObject, type JsonObject } from '../../provider-kit/json.ts'
import { readJson } from '../request/read-json.ts'
import { rejectForbiddenModel } from '../request/request-policy.ts'
import { submitOperation } from '../telemetry/observer.ts'
import type { BodySize, RelayCall } from '../types.ts'
import { type TaskDeps, TaskError, type TaskOrigin, type TaskPlatform, type TaskRequest } from './platform.ts'
import { withSubmittingKey } from './task-bill.ts'
import { findTaskChannel } from './task-channel.ts'

/** Reads and parses a task. Throws TaskError or GatewayError when it is invalid or not allowed. */
export async function parseTaskRequest(
  platform: TaskPlatform,
  { arrival, caller, connection, params: { kind = '', mode = '' } }: RelayCall,
  deps: TaskDeps,
): Promise<TaskRequest> {
  const json = await readTaskBody({ connection, caller }, deps)
  const options = deps.settings.current()
  if (!platform.isEnabled(options))
    throw new TaskError(
      'closed',
      { zh: '该接口未启用', en: 'this endpoint is turned off on this server' },
      { status: 403 },
    )
  const draft = platform.parse(
    { kind, json },
    {
      ...options,
      isPriced: options.prices.hasCallPrice,
      notificationUrl: createNotificationUrl(arrival.requestId, deps),
    },
  )
  rejectForbiddenModel(caller, draft.model)
  const request = {
    ...draft,
    ...arrival,
    caller,
    operation: { name: submitOperation(platform.name) },
    isStream: false,
    platform,
    taskPlatform: platform.name,
    mode,
  } as const
  if (!draft.origin) return { ...request, originChannel: undefined }
  const { channel, prompt } = await findOrigin(draft.origin, request, deps)
  return { ...request, originChannel: channel, prompt: draft.prompt || prompt }
}

const NOT_AN_OBJECT: BothLanguages = { zh: '请求体不是 JSON 对象', en: 'the body is not a JSON object' }

/** The fields that decide prompt, model, price and origin of a task, and the fields withheld from providers. */
const READ_FIELDS = {
  prompt: true,
  action: true,
  index: true,
  content: true,
  customId: true,
  taskId: true,
  notifyHook: true,
  accountFilter: true,
  task_id: true,
  continue_clip_id: true,
  mv: true,
  gpt_description_prompt: true,
  title: true,
}

/** Throws TaskError when the body is not a JSON object, or has keys that differ only by case. */
export async function readTaskBody(
  { connection, caller }: Pick<RelayCall, 'connection' | 'caller'>,
  { settings }: Pick<TaskDeps, 'settings'>,
  size?: BodySize,
): Promise<JsonObject> {
  const { value: json } = await readJson(connection, caller, settings, size).catch((cause: unknown) => {
    if (!(cause instanceof GatewayError && cause.code === 'invalid_json')) throw cause
    throw new TaskError('invalid_request', NOT_AN_OBJECT, { cause })
  })
  connection.disableIdleTimeout()
  if (!isObject(json)) throw new TaskError('invalid_request', NOT_AN_OBJECT)
  const ambiguous = findAmbiguousKey(json, READ_FIELDS)
  if (ambiguous !== undefined)
    throw new TaskError('invalid_request', {
      zh: `${ambiguous}：该键与另一个键仅大小写不同`,
      en: `${ambiguous}: the key differs from another only by case`,
    })
  return json
}

/** The task that this one continues, and its channel. Throws TaskError when it cannot be continued. */
async function findOrigin(
  { taskId, mustBeFinished }: TaskOrigin,
  { caller, platform }: Pick<TaskRequest, 'caller' | 'platform'>,
  deps: TaskDeps,
) {
  const { unknown, unfinished, noChannel, disabled } = platform.originErrorCodes
  const owner = { userId: caller.userId, platform: platform.name }
  const [row] = await withStorageTimeout(listOwnTasks(deps.db, owner, [taskId]))
  if (!row)
    throw new TaskError(unknown, {
      zh: `该用户没有任务 ${taskId}`,
      en: `this user has no task ${taskId}`,
    })
  const isStrict = mustBeFinished && deps.settings.current().MjActionCheckSuccessEnabled
  if (isStrict && row.outcome !== 'succeeded')
    throw new TaskError(unfinished, {
      zh: `任务 ${taskId} 尚未完成`,
      en: `the task ${taskId} is not finished`,
    })
  const channel = await findTaskChannel(row.channel_id, deps)
  if (channel?.provider.task?.platform !== platform.name)
    throw new TaskError(noChannel, {
      zh: `任务 ${taskId} 所属的渠道已不存在`,
      en: `the channel of the task ${taskId} no longer exists`,
    })
  if (!channel.isEnabled)
    throw new TaskError(disabled, {
      zh: `任务 ${taskId} 所属的渠道已被禁用`,
      en: `the channel of the task ${taskId} is disabled`,
    })
  return { channel: withSubmittingKey(row, channel, deps), prompt: row.prompt }
}

/** Where a provider reports the state of this task. Empty when the public address of the installation is unknown. */
export function createNotificationUrl(
  requestId: string,
  { secrets, settings }: Pick<TaskDeps, 'secrets' | 'settings'>,
): string {
  const { ServerAddress } = settings.current()
  return ServerAddress === ''
    ? ''
    : `${ServerAddress}/mj/notify/${requestId}/${secrets.hash(TASK_NOTICE_PURPOSE, requestId)}`
}

import { RELAY_BODY_BYTES_MAX } from '../../core/limits.ts'
import { listOwnTasks } from '../../db/system/tasks.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { TaskPlatformName } from '../../provider-kit/contract/task.ts'
import { isObject, parseJson } from '../../provider-kit/json.ts'
import type { RelayContext } from '../relay-context.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { rejectForbiddenModel } from '../request/parse-request.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { Caller, RelayRequest, RequestArrival } from '../types.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import { noticeAddress } from './notice-address.ts'
import type { TaskDraft, TaskOrigin, TaskPlatform } from './platform.ts'
import { withKeyOf } from './task-key.ts'
import { TaskRefusal } from './task-refusal.ts'
import type { TaskRoute } from './task-routes.ts'

/** A request to draw or to make music, after parsing. */
export interface TaskRequest extends TaskDraft, RequestArrival {
  readonly caller: Caller
  readonly platform: TaskPlatform
  readonly taskPlatform: TaskPlatformName
  readonly mode: string
  /** The channel of the task that this one continues, with the same key: only its account can continue it. */
  readonly originChannel: RoutedChannel | undefined
}

export const isTask = (request: RelayRequest | TaskRequest): request is TaskRequest =>
  'taskPlatform' in request

/** A call whose caller is known, and whose body is still unread. */
export interface TaskCall {
  readonly arrival: RequestArrival
  readonly caller: Caller
  readonly connection: ClientConnection
}

/** Reads and parses a task. Throws TaskRefusal or GatewayError when it is invalid or not allowed. */
export async function parseTaskRequest(
  { platform, kind, mode }: TaskRoute,
  { arrival, caller, connection }: TaskCall,
  context: RelayContext,
): Promise<TaskRequest> {
  const json = await readTaskBody(connection)
  const { tasks, prices } = context.settings.current()
  if (!platform.isOpen(tasks))
    throw new TaskRefusal('closed', 'this installation does not offer it', { status: 403 })
  const draft = platform.read(
    { kind, json },
    {
      ...tasks,
      isPriced: model => Object.hasOwn(prices.modelPrice, model),
      noticeAddress: noticeAddress(arrival.requestId, context),
    },
  )
  rejectForbiddenModel(caller, draft.model)
  const request = { ...draft, ...arrival, caller, platform, taskPlatform: platform.name, mode }
  if (!draft.origin) return { ...request, originChannel: undefined }
  const { channel, prompt } = await findOrigin(draft.origin, request, context)
  return { ...request, originChannel: channel, prompt: draft.prompt || prompt }
}

/** Throws TaskRefusal when the body is not a JSON object. */
export async function readTaskBody(connection: ClientConnection): Promise<JsonObject> {
  const json = parseJson(await connection.readText(RELAY_BODY_BYTES_MAX))
  connection.disableIdleTimeout()
  if (!isObject(json)) throw new TaskRefusal('invalid_request', 'the body is not a JSON object')
  return json
}

/** The task that this one continues, and its channel. Throws TaskRefusal when it cannot be continued. */
async function findOrigin(
  { taskId, mustBeFinished }: TaskOrigin,
  { caller, platform }: Pick<TaskRequest, 'caller' | 'platform'>,
  context: RelayContext,
) {
  const { unknown, unfinished, noChannel, disabled } = platform.originRefusals
  const own = { userId: caller.userId, platform: platform.name }
  const [row] = await withStorageTimeout(listOwnTasks(context.db, own, [taskId]))
  if (!row) throw new TaskRefusal(unknown, `there is no task ${taskId} of yours`)
  const isStrict = mustBeFinished && context.settings.current().tasks.mustOriginBeFinished
  if (isStrict && row.outcome !== 'succeeded')
    throw new TaskRefusal(unfinished, `the task ${taskId} is not finished`)
  const channel = context.channels.current().byId(row.channel_id)
  if (channel?.provider.task?.platform !== platform.name)
    throw new TaskRefusal(noChannel, `the channel of the task ${taskId} is gone`)
  if (!channel.isEnabled) throw new TaskRefusal(disabled, `the channel of the task ${taskId} is disabled`)
  return { channel: withKeyOf(row, channel, context), prompt: row.prompt }
}

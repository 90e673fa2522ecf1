import { GatewayError } from '../../core/errors.ts'
import { listOwnTasks } from '../../db/tasks.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Caller } from '../request/caller.ts'
import { rejectForbiddenModel } from '../request/parse-request.ts'
import { route, type Trial } from '../routing/route.ts'
import type { TraceContext } from '../telemetry/trace-context.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import { noticeAddress } from './notice-address.ts'
import type { TaskDraft, TaskOrigin, TaskPlatform } from './platform.ts'
import { withKeyOf } from './task-key.ts'
import { TaskRefusal } from './task-refusal.ts'
import type { MatchedTaskRoute } from './task-routes.ts'

/** When a request about tasks came, and where it stands in a trace. */
export interface TaskArrival {
  readonly requestId: string
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  readonly traceContext: TraceContext | undefined
}

/** A task that was understood: what is wanted, by whom, and who may do it. */
export interface TaskOrder extends TaskDraft, TaskArrival {
  readonly caller: Caller
  readonly platform: TaskPlatform
  readonly mode: string
  /** In the order in which they are tried. */
  readonly trial: Trial
}

interface Arrived {
  readonly json: JsonObject
  readonly arrival: TaskArrival
  readonly caller: Caller
}

/** Says what is wanted and which channels may do it. Throws TaskRefusal or GatewayError. */
export async function orderTask(
  { platform, kind, mode }: MatchedTaskRoute,
  { json, arrival, caller }: Arrived,
  gateway: RelayContext,
): Promise<TaskOrder> {
  const { tasks, prices } = gateway.settings.current()
  if (!platform.isOpen(tasks))
    throw new TaskRefusal('closed', 'this installation does not offer it', { status: 403 })
  const draft = platform.read(
    { kind, json },
    {
      ...tasks,
      isPriced: model => Object.hasOwn(prices.modelPrice, model),
      noticeAddress: noticeAddress(arrival.requestId, gateway),
    },
  )
  rejectForbiddenModel(caller, draft.model)
  const ordered = { ...draft, ...arrival, caller, platform, mode }
  if (!draft.origin) return { ...ordered, trial: trialOf(caller, draft.model, platform, gateway) }
  const { channel, prompt } = await findOrigin(draft.origin, ordered, gateway)
  return {
    ...ordered,
    trial: { channels: [channel], candidates: [{ channel }] },
    prompt: draft.prompt || prompt,
  }
}

/** Channels of another vendor may be offered for the model's name; they cannot do the work. */
function trialOf(caller: Caller, model: string, platform: TaskPlatform, gateway: RelayContext): Trial {
  const { health, channels: directory } = gateway
  const { channels, candidates } = route(caller, model, { directory: directory.current(), health })
  const able = channels.filter(({ provider }) => provider.task?.platform === platform.name)
  if (able.length > 0) return { channels: able, candidates }
  throw new GatewayError('no_available_channel', `no channel that serves ${model} can do it`)
}

/** The task that this one goes on from, and the channel that did it: only its vendor's account can go on. */
async function findOrigin(
  { taskId, mustBeFinished }: TaskOrigin,
  { caller, platform }: Pick<TaskOrder, 'caller' | 'platform'>,
  gateway: RelayContext,
) {
  const { unknown, unfinished, noChannel, disabled } = platform.originRefusals
  const own = { userId: caller.userId, platform: platform.name }
  const [row] = await withStorageTimeout(listOwnTasks(gateway.db, own, [taskId]))
  if (!row) throw new TaskRefusal(unknown, `there is no task ${taskId} of yours`)
  const isStrict = mustBeFinished && gateway.settings.current().tasks.mustOriginBeFinished
  if (isStrict && row.outcome !== 'succeeded')
    throw new TaskRefusal(unfinished, `the task ${taskId} is not finished`)
  const channel = gateway.channels.current().byId(row.channel_id)
  if (channel?.provider.task?.platform !== platform.name)
    throw new TaskRefusal(noChannel, `the channel of the task ${taskId} is gone`)
  if (!channel.isEnabled) throw new TaskRefusal(disabled, `the channel of the task ${taskId} is disabled`)
  return { channel: withKeyOf(row, channel, gateway), prompt: row.prompt }
}

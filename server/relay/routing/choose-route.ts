import { withStorageTimeout } from '../../core/async.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import type { TaskPlatformName } from '../../provider-kit/contract/task.ts'
import type { RequestedTerms } from '../../provider-kit/hosted-tools.ts'
import type { BoundAccount, Caller, RelayRequest } from '../types.ts'
import { type AccountHandles, accountGone } from './account-handles.ts'
import { type ChannelDirectory, listedModel, type RoutedChannel } from './channel-directory.ts'
import type { ChannelHealth, SkipReason } from './channel-health.ts'
import { createSessionRandom, type SessionAffinity } from './session-affinity.ts'

/** Added to every weight, so that a channel of weight 0 still gets its share. */
const WEIGHT_SMOOTHING = 10

/** A channel that serves the model, and why it should not be called right now, if anything. */
export interface RouteCandidate {
  readonly channel: RoutedChannel
  readonly skipReason?: SkipReason
}

/** The routing decision for one request. */
export interface RoutePlan {
  /** The order of attempts: one entry for each usable key, those of one channel in a row. */
  readonly channels: readonly RoutedChannel[]
  /** Every channel that was considered, in the same order. */
  readonly candidates: readonly RouteCandidate[]
  /** The key that comes first among those of its channel. */
  readonly preferredKey?: string | undefined
}

/** Dependencies of routing. */
export interface RoutingDeps {
  readonly channels: { current(): ChannelDirectory }
  /** Refreshes channels and settings; used for requests that miss something in them. */
  readonly refreshState: () => Promise<void>
  readonly health: ChannelHealth
  readonly sessionAffinity: SessionAffinity
  readonly accountHandles: AccountHandles
  readonly hooks: { readonly orderCandidates?: OrderCandidates | undefined }
}

/** Returns all candidates in another order. */
export type OrderCandidates = (
  candidates: readonly RouteCandidate[],
  request: RoutableRequest,
) => readonly RouteCandidate[]

/** Facts about a request that routing depends on. */
export interface RoutableRequest extends Pick<RelayRequest, 'caller' | 'model'> {
  readonly session?: string | undefined
  /** The account that alone can read what the request refers to. */
  readonly boundAccount?: BoundAccount | undefined
  readonly requested?: Pick<RequestedTerms, 'otherModels'>
  /** Our estimate; without it the input limits of channels do not apply. */
  readonly inputTokens?: number
  /** Set for tasks: only channels whose provider runs tasks of this platform are used. */
  readonly taskPlatform?: TaskPlatformName
  /** Set for a task that continues another: the channel of that task, since only its account can continue it. */
  readonly originChannel?: RoutedChannel | undefined
}

/** Plans the route of a request. Throws GatewayError when no channel can take it. */
export function chooseRoute(
  request: RoutableRequest,
  { channels, health, sessionAffinity, accountHandles, hooks }: Omit<RoutingDeps, 'refreshState'>,
): RoutePlan {
  const { caller, model, session, boundAccount, inputTokens, taskPlatform, originChannel } = request
  rejectUnservedModels(request, channels.current())
  if (originChannel) return { channels: [originChannel], candidates: [{ channel: originChannel }] }
  const preferred = session === undefined ? undefined : sessionAffinity.find(session)
  const { orderCandidates } = hooks
  const plan = planRoute(caller, model, {
    directory: channels.current(),
    health,
    inputTokens,
    preferredId: preferred?.channelId,
    preferredKey: preferred?.key,
    ...(session !== undefined && { random: createSessionRandom(session) }),
    orderCandidates: orderCandidates && (candidates => orderCandidates(candidates, request)),
  })
  if (boundAccount) return bindPlan(plan, boundAccount, accountHandles)
  return taskPlatform ? keepPlatform(plan, taskPlatform, model) : plan
}

/** Throws GatewayError `no_available_channel` for a model that the request lets answer and that the group lacks. */
function rejectUnservedModels({ caller, requested }: RoutableRequest, directory: ChannelDirectory): void {
  const missing = requested?.otherModels?.find(
    ({ name, isOfTool }) => !isOfTool && directory.find(caller.group, name).length === 0,
  )
  if (missing && caller.pinnedChannelId === undefined)
    throw new GatewayError('no_available_channel', {
      zh: `分组 ${caller.group} 没有模型 ${missing.name} 的渠道，而请求允许由它应答`,
      en: `the group ${caller.group} has no channel for ${missing.name}, which the request lets answer`,
    })
}

/**
 * Puts the bound account first, and leaves out all others when the request needs it. Throws GatewayError when the request
 * needs it and it is gone.
 */
function bindPlan(plan: RoutePlan, account: BoundAccount, accountHandles: AccountHandles): RoutePlan {
  const candidate = plan.candidates.find(({ channel }) => channel.id === account.channelId)
  const view = candidate?.channel.views.find(one => accountHandles.isKeyOf(account, one))
  if (!candidate || !view) {
    if (account.isRequired) throw accountGone()
    return plan
  }
  const bound = { ...candidate.channel, view }
  if (account.isRequired) return { channels: [bound], candidates: [candidate] }
  const others = plan.channels.filter(({ id, view: other }) => id !== bound.id || other.key !== view.key)
  return { ...plan, channels: [bound, ...others], preferredKey: view.key }
}

function keepPlatform(
  { channels, candidates }: RoutePlan,
  platform: TaskPlatformName,
  model: string,
): RoutePlan {
  const able = channels.filter(({ provider }) => provider.task?.platform === platform)
  if (able.length > 0) return { channels: able, candidates }
  throw new GatewayError('no_available_channel', {
    zh: `模型 ${model} 的渠道都不支持此任务`,
    en: `no channel that serves ${model} supports this task`,
  })
}

type RoutedCaller = Pick<Caller, 'group' | 'pinnedChannelId'>

export interface RouteOptions {
  readonly directory: ChannelDirectory
  readonly health: ChannelHealth
  /** Channels with a lower limit are left out. */
  readonly inputTokens?: number | undefined
  /** Comes first among the channels of its priority. */
  readonly preferredId?: number | undefined
  /** Comes first among the keys of its channel. */
  readonly preferredKey?: string | undefined
  /** Returns numbers in [0, 1). */
  readonly random?: () => number
  /** Changes the order of the candidates. */
  readonly orderCandidates?:
    | ((candidates: readonly RouteCandidate[]) => readonly RouteCandidate[])
    | undefined
}

/**
 * Orders the channels that serve a model: the highest priority first, within a priority at random in proportion to
 * weight. A channel that has not responded yet comes after its equals while several calls wait for it. One with an open
 * circuit, without a usable key, or stalled comes last; one at its limit, or whose input limit is below the request, is left
 * out. Throws GatewayError when none is left.
 */
export function planRoute(caller: RoutedCaller, model: string, options: RouteOptions): RoutePlan {
  const candidates = listCandidates(caller, model, options)
  return toPlan(options.orderCandidates?.(candidates) ?? candidates, options)
}

/** Like `planRoute`, but includes the channels at their limit. Throws GatewayError when no channel serves the model. */
export function listCandidates(
  caller: RoutedCaller,
  model: string,
  options: RouteOptions,
): readonly RouteCandidate[] {
  const { directory, preferredId, random = Math.random } = options
  if (caller.pinnedChannelId !== undefined)
    return toCandidates([getPinnedChannel(caller.pinnedChannelId, model, directory)], options)
  const serving = directory.find(caller.group, model)
  if (serving.length === 0) throw noChannel(caller.group, model, directory)
  if (serving.length === 1) return toCandidates(serving, options)
  return toCandidates(preferChannel(sortByPriorityAndWeight(serving, random), preferredId), options)
}

/**
 * Plans again when the first channel has become unhealthy since planning, as many requests are planned at the same
 * time.
 */
export function refreshPlan(plan: RoutePlan, health: ChannelHealth): RoutePlan {
  const [first] = plan.candidates
  if (!first || first.skipReason || !health.skipReason(first.channel)) return plan
  const tooSmall = plan.candidates.filter(isTooSmall)
  const channels = plan.candidates.filter(candidate => !isTooSmall(candidate)).map(({ channel }) => channel)
  const { preferredKey } = plan
  return toPlan([...toCandidates(channels, { health }), ...tooSmall], { health, preferredKey })
}

/** Keeps the order of the channels, except that unhealthy ones move to the end. */
function toCandidates(
  channels: readonly RoutedChannel[],
  { health, inputTokens = 0 }: Pick<RouteOptions, 'health' | 'inputTokens'>,
): readonly RouteCandidate[] {
  const candidates: RouteCandidate[] = []
  for (const channel of channels) {
    const { inputTokens: limit = Number.POSITIVE_INFINITY } = channel.limits
    const skipReason = inputTokens > limit ? 'input limit' : health.skipReason(channel)
    candidates.push(skipReason ? { channel, skipReason } : { channel })
  }
  return candidates.every(isHealthy) ? candidates : unhealthyLast(candidates)
}

function toPlan(candidates: readonly RouteCandidate[], options: KeyOptions): RoutePlan {
  const channels: RoutedChannel[] = []
  for (const candidate of candidates)
    if (!isAtLimit(candidate)) channels.push(...spreadOverKeys(candidate.channel, options))
  if (channels.length === 0) throw noChannelLeft(candidates)
  return { candidates, channels, preferredKey: options.preferredKey }
}

/** Whether a channel is at a limit. Such a channel is not called, even when no other is left. */
export const isAtLimit = (candidate: RouteCandidate): boolean => {
  const { skipReason } = candidate
  return skipReason === 'concurrency limit' || skipReason === 'rate limit' || isTooSmall(candidate)
}

/** Whether the channel takes no input of this length. */
const isTooSmall = ({ skipReason }: RouteCandidate): boolean => skipReason === 'input limit'

/** The error when every candidate is at a limit. */
export function noChannelLeft(candidates: readonly RouteCandidate[]): GatewayError {
  if (!candidates.every(isTooSmall))
    return new GatewayError('too_many_requests', {
      zh: '该模型的所有渠道均已达到上限，请稍后重试',
      en: 'every channel for this model is at its limit; try again shortly',
    })
  const largest = Math.max(...candidates.map(({ channel }) => channel.limits.inputTokens ?? 0))
  return new GatewayError('context_length_exceeded', {
    zh: `输入过长：该模型的渠道最多接受 ${largest} 个输入 Token`,
    en: `the input is too long: channels for this model take at most ${largest} input tokens`,
  })
}

const unhealthyLast = (candidates: readonly RouteCandidate[]): readonly RouteCandidate[] =>
  candidates.toSorted(
    (one, other) =>
      Number(isUnhealthy(one)) - Number(isUnhealthy(other)) ||
      (isUnhealthy(one) ? 0 : other.channel.priority - one.channel.priority) ||
      Number(isUnproven(one)) - Number(isUnproven(other)),
  )

const isUnproven = ({ skipReason }: RouteCandidate): boolean => skipReason === 'not heard yet'
const isUnhealthy = (candidate: RouteCandidate): boolean => !isHealthy(candidate) && !isUnproven(candidate)
const isHealthy = ({ skipReason }: RouteCandidate): boolean => skipReason === undefined

/** Until the next automatic test may have enabled a channel again, so that agents neither give up nor hammer. */
const DISABLED_RETRY_SECONDS = 30

function noChannel(group: string, model: string, directory: ChannelDirectory): GatewayError {
  if (directory.isServedWhenUp(group, model))
    return new GatewayError(
      'no_available_channel',
      {
        zh: `当前分组 ${group} 下对于模型 ${model} 无可用渠道`,
        en: `every channel of group ${group} that serves the model ${model} is down`,
      },
      { retryAfterSeconds: DISABLED_RETRY_SECONDS },
    )
  return new GatewayError('model_not_found', {
    zh: `当前分组 ${group} 下对于模型 ${model} 无可用渠道`,
    en: `no channel of group ${group} serves the model ${model}`,
  })
}

type KeyOptions = Pick<RouteOptions, 'health' | 'preferredKey' | 'random'>

/**
 * Lists the channel once for each key, starting at the preferred one, or at a random one to share the load. Includes keys
 * in cooldown only when all of them are.
 */
function spreadOverKeys(
  channel: RoutedChannel,
  { health, preferredKey, random = Math.random }: KeyOptions,
): readonly RoutedChannel[] {
  if (channel.views.length === 1) return [channel]
  const usable = health.usableKeys(channel)
  const views = usable.length > 0 ? usable : channel.views
  const preferred = views.findIndex(({ key }) => key === preferredKey)
  const start = preferred >= 0 ? preferred : Math.floor(random() * views.length)
  return [...views.slice(start), ...views.slice(0, start)].map(view => ({ ...channel, view }))
}

function getPinnedChannel(id: number, model: string, directory: ChannelDirectory): RoutedChannel {
  const channel = directory.byId(id)
  if (!channel)
    throw new GatewayError('invalid_channel_id', { zh: `渠道 ${id} 不存在`, en: `there is no channel ${id}` })
  if (!channel.isEnabled)
    throw new GatewayError('channel_disabled', { zh: `渠道 ${id} 已被禁用`, en: `channel ${id} is disabled` })
  if (channel.stoppedModels.has(listedModel(channel, model)))
    throw new GatewayError('channel_disabled', {
      zh: `渠道 ${id} 的模型 ${model} 已被禁用`,
      en: `the model ${model} is stopped on channel ${id}`,
    })
  return channel
}

/** Moves the preferred channel to the front of its priority. */
function preferChannel(
  ordered: readonly RoutedChannel[],
  preferredId: number | undefined,
): readonly RoutedChannel[] {
  const preferred = ordered.find(({ id }) => id === preferredId)
  if (!preferred) return ordered
  const index = ordered.findIndex(({ priority }) => priority === preferred.priority)
  return ordered.filter(channel => channel !== preferred).toSpliced(index, 0, preferred)
}

/** `random` returns numbers in [0, 1). */
export function sortByPriorityAndWeight(
  channels: readonly RoutedChannel[],
  random: () => number,
): RoutedChannel[] {
  if (channels.length === 1) return [...channels]
  const priorities = [...new Set(channels.map(channel => channel.priority))].sort((a, b) => b - a)
  return priorities.flatMap(priority =>
    shuffleByWeight(
      channels.filter(channel => channel.priority === priority),
      random,
    ),
  )
}

function shuffleByWeight(channels: readonly RoutedChannel[], random: () => number): RoutedChannel[] {
  const left = [...channels]
  const shuffled: RoutedChannel[] = []
  while (left.length > 0) shuffled.push(...left.splice(drawByWeight(left, random), 1))
  return shuffled
}

function drawByWeight(channels: readonly RoutedChannel[], random: () => number): number {
  const total = channels.reduce((sum, channel) => sum + channel.weight + WEIGHT_SMOOTHING, 0)
  let point = random() * total
  for (const [index, channel] of channels.entries()) {
    point -= channel.weight + WEIGHT_SMOOTHING
    if (point < 0) return index
  }
  return channels.length - 1
}

/**
 * The probability of each candidate to be called first. The healthy ones of the highest priority share it; without any,
 * the ones that would be called anyway.
 */
export function firstCallChances(candidates: readonly RouteCandidate[]): readonly number[] {
  const healthyOrUnproven = candidates.filter(candidate => !isUnhealthy(candidate))
  const pool =
    healthyOrUnproven.length > 0 ? healthyOrUnproven : candidates.filter(candidate => !isAtLimit(candidate))
  const highest = Math.max(...pool.map(({ channel }) => channel.priority))
  const equals = pool.filter(({ channel }) => channel.priority === highest)
  const sharing = equals.some(isHealthy) ? equals.filter(isHealthy) : equals
  const total = sharing.reduce((sum, { channel }) => sum + channel.weight + WEIGHT_SMOOTHING, 0)
  return candidates.map(candidate =>
    sharing.includes(candidate) ? (candidate.channel.weight + WEIGHT_SMOOTHING) / total : 0,
  )
}

/** Channels and prices that another process may have added a moment ago. */
const OUTDATED_CODES: ReadonlySet<ErrorCode> = new Set([
  'no_available_channel',
  'model_not_found',
  'invalid_channel_id',
  'channel_disabled',
  'model_price_missing',
])

/**
 * Returns the result of `decide`, which uses channels and settings in memory. When these lack something, it asks the database
 * for changes and decides once more: this process follows the changes of others only every second.
 */
export async function withCurrentState<Result>(
  decide: () => Result,
  refreshState: () => Promise<void>,
): Promise<Result> {
  try {
    return decide()
  } catch (error) {
    if (!(error instanceof GatewayError) || !OUTDATED_CODES.has(error.code)) throw error
  }
  await withStorageTimeout(refreshState())
  return decide()
}

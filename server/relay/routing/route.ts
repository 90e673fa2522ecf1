import { GatewayError } from '../../core/errors.ts'
import type { Caller } from '../request/caller.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import type { ChannelHealth, Obstacle } from './channel-health.ts'
import type { RoutedChannel } from './routed-channel.ts'

/** Added to every weight, so that a channel of weight 0 still gets its share. */
const WEIGHT_SMOOTHING = 10

/** A channel that serves what is asked, and what speaks against asking it now. */
export interface Candidate {
  readonly channel: RoutedChannel
  readonly obstacle?: Obstacle
}

/** The decision: whom to ask, in which order, and who else was there. */
export interface Trial {
  /** One entry for each key that may be used; those of one channel stand together. */
  readonly channels: readonly RoutedChannel[]
  /** In the order of trial. */
  readonly candidates: readonly Candidate[]
}

type RoutedCaller = Pick<Caller, 'group' | 'pinnedChannelId'>

export interface RouteParts {
  readonly directory: ChannelDirectory
  readonly health: ChannelHealth
  /** Asked first among its equals. */
  readonly preferredId?: number | undefined
  /** Gives numbers from 0 up to but not including 1. */
  readonly random?: () => number
}

/**
 * The channels for a model in the order in which they are to be tried: the highest priority first, and within a
 * priority by chance in proportion to weight. A channel of which nothing was heard yet comes after its equals while
 * several calls wait for it; one with an open circuit, without a waking key, or silent comes last, one at its limit not
 * at all. Throws GatewayError when there is none.
 */
export const route = (caller: RoutedCaller, model: string, parts: RouteParts): Trial =>
  trialOf(candidatesFor(caller, model, parts), parts)

/** Who could be asked, in the order of trial, those at their limit too. Throws GatewayError when there is none. */
export function candidatesFor(
  caller: RoutedCaller,
  model: string,
  { directory, health, preferredId, random = Math.random }: RouteParts,
): readonly Candidate[] {
  if (caller.pinnedChannelId !== undefined)
    return inOrder([pinned(caller.pinnedChannelId, directory)], health)
  const serving = directory.find(caller.group, model)
  if (serving.length === 0)
    throw new GatewayError(
      'no_available_channel',
      `no channel of group ${caller.group} serves the model ${model}`,
    )
  const isChoice = serving.length > 1
  return inOrder(isChoice ? withFirst(orderOfTrial(serving, random), preferredId) : serving, health)
}

/** The trial as it would be decided now, if something speaks against its first channel by now: many are decided at once. */
export function asOfNow(trial: Trial, health: ChannelHealth): Trial {
  const [first] = trial.candidates
  if (!first || first.obstacle || !health.obstacle(first.channel)) return trial
  const ordered = trial.candidates.map(({ channel }) => channel)
  return trialOf(inOrder(ordered, health), { health })
}

function inOrder(ordered: readonly RoutedChannel[], health: ChannelHealth): readonly Candidate[] {
  const seen: Candidate[] = []
  for (const channel of ordered) {
    const obstacle = health.obstacle(channel)
    seen.push(obstacle ? { channel, obstacle } : { channel })
  }
  return seen.every(isFree) ? seen : unwellLast(seen)
}

function trialOf(
  candidates: readonly Candidate[],
  { health, random = Math.random }: Pick<RouteParts, 'health' | 'random'>,
): Trial {
  const channels: RoutedChannel[] = []
  for (const candidate of candidates)
    if (!isAtLimit(candidate)) channels.push(...byKey(candidate.channel, health, random))
  if (channels.length === 0) throw everyoneAtLimit()
  return { candidates, channels }
}

/** Such a channel is not asked, not even when nobody else is left. */
export const isAtLimit = ({ obstacle }: Candidate): boolean =>
  obstacle === 'concurrency limit' || obstacle === 'rate limit'

export const everyoneAtLimit = (): GatewayError =>
  new GatewayError('too_many_requests', 'every channel for this is at its limit, try again in a moment')

/** In the order given but for what speaks against each. */
const unwellLast = (seen: readonly Candidate[]): readonly Candidate[] =>
  seen.toSorted(
    (one, other) =>
      Number(isUnwell(one)) - Number(isUnwell(other)) ||
      (isUnwell(one) ? 0 : other.channel.priority - one.channel.priority) ||
      Number(isUnheard(one)) - Number(isUnheard(other)),
  )

const isUnheard = ({ obstacle }: Candidate): boolean => obstacle === 'not heard yet'
const isUnwell = (candidate: Candidate): boolean => !isFree(candidate) && !isUnheard(candidate)
const isFree = ({ obstacle }: Candidate): boolean => obstacle === undefined

/** The channel once for each key, beginning anywhere, so that all share the work. Resting keys only when there is no other. */
function byKey(
  channel: RoutedChannel,
  health: ChannelHealth,
  random: () => number,
): readonly RoutedChannel[] {
  if (channel.views.length === 1) return [channel]
  const waking = health.wakingKeys(channel)
  const views = waking.length > 0 ? waking : channel.views
  const start = Math.floor(random() * views.length)
  return [...views.slice(start), ...views.slice(0, start)].map(view => ({ ...channel, view }))
}

function pinned(id: number, directory: ChannelDirectory): RoutedChannel {
  const channel = directory.byId(id)
  if (!channel) throw new GatewayError('invalid_channel_id', `there is no channel ${id}`)
  if (!channel.isEnabled) throw new GatewayError('channel_disabled', `channel ${id} is disabled`)
  return channel
}

/** The preferred channel before the others of its priority. */
function withFirst(
  ordered: readonly RoutedChannel[],
  preferredId: number | undefined,
): readonly RoutedChannel[] {
  const preferred = ordered.find(({ id }) => id === preferredId)
  if (!preferred) return ordered
  const place = ordered.findIndex(({ priority }) => priority === preferred.priority)
  return ordered.filter(channel => channel !== preferred).toSpliced(place, 0, preferred)
}

/** `random` gives numbers from 0 up to but not including 1. */
export function orderOfTrial(candidates: readonly RoutedChannel[], random: () => number): RoutedChannel[] {
  if (candidates.length === 1) return [...candidates]
  const priorities = [...new Set(candidates.map(channel => channel.priority))].sort((a, b) => b - a)
  return priorities.flatMap(priority =>
    shuffled(
      candidates.filter(channel => channel.priority === priority),
      random,
    ),
  )
}

function shuffled(tier: readonly RoutedChannel[], random: () => number): RoutedChannel[] {
  const left = [...tier]
  const order: RoutedChannel[] = []
  while (left.length > 0) order.push(...left.splice(drawByWeight(left, random), 1))
  return order
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
 * The chance of each candidate to be asked first. Those of the highest priority without an obstacle share it; when
 * something speaks against all, those that are asked nevertheless.
 */
export function chancesOf(candidates: readonly Candidate[]): readonly number[] {
  const well = candidates.filter(candidate => !isUnwell(candidate))
  const pool = well.length > 0 ? well : candidates.filter(candidate => !isAtLimit(candidate))
  const highest = Math.max(...pool.map(({ channel }) => channel.priority))
  const equals = pool.filter(({ channel }) => channel.priority === highest)
  const sharing = equals.some(isFree) ? equals.filter(isFree) : equals
  const total = sharing.reduce((sum, { channel }) => sum + channel.weight + WEIGHT_SMOOTHING, 0)
  return candidates.map(candidate =>
    sharing.includes(candidate) ? (candidate.channel.weight + WEIGHT_SMOOTHING) / total : 0,
  )
}

import { GatewayError } from '../kernel/errors.ts'
import type { Caller } from './caller.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import type { RoutedChannel } from './routed-channel.ts'

/** Added to every weight, so that a channel of weight 0 still gets its share. */
const WEIGHT_SMOOTHING = 10

/**
 * The channels for a model in the order in which they are to be tried: the highest priority first, and within a
 * priority by chance in proportion to weight. Each stands in it once, so that no failed channel is tried again.
 * Throws GatewayError when there is none.
 */
export function route(
  caller: Caller,
  model: string,
  directory: ChannelDirectory,
  random = Math.random,
): RoutedChannel[] {
  if (caller.pinnedChannelId !== undefined) return [pinned(caller.pinnedChannelId, directory)]
  const candidates = directory.find(caller.group, model)
  if (candidates.length === 0)
    throw new GatewayError(
      'no_available_channel',
      `no channel of group ${caller.group} serves the model ${model}`,
    )
  return orderOfTrial(candidates, random)
}

function pinned(id: number, directory: ChannelDirectory): RoutedChannel {
  const channel = directory.byId(id)
  if (!channel) throw new GatewayError('invalid_channel_id', `there is no channel ${id}`)
  if (!channel.isEnabled) throw new GatewayError('channel_disabled', `channel ${id} is disabled`)
  return channel
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

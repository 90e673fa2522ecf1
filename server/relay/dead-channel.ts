import { disableChannelAutomatically } from '../db/channel-health.ts'
import { nowSeconds } from '../kernel/clock.ts'
import type { Failure } from '../provider-kit/failure.ts'
import type { Gateway, RelaySettings } from './gateway.ts'
import type { RoutedChannel } from './routed-channel.ts'

/** A channel in the service of a request. */
export interface ChannelInUse {
  readonly channel: RoutedChannel
  readonly requestId: string
}

/** Whether a failure says that the key will not work again. Keywords say so where the options would disable a channel for them. */
export const refusesKey = (channel: RoutedChannel, failure: Failure, settings: RelaySettings): boolean =>
  failure.isKeyDead === true || (mayBeDisabled(channel, settings) && holdsKeyword(failure, settings))

/** Takes a channel out of routing when its failure says that its key will not work again, and the options allow it. */
export async function disableWhenDead(
  { channel, requestId }: ChannelInUse,
  failure: Failure,
  gateway: Gateway,
): Promise<void> {
  const settings = gateway.settings.current()
  if (!mayBeDisabled(channel, settings) || !refusesKey(channel, failure, settings)) return
  const reason = `status ${failure.status}, ${failure.code}: ${failure.message}`
  const isDone = await disableChannelAutomatically(gateway.db, channel.id, {
    reason,
    atSeconds: nowSeconds(),
  })
  if (!isDone) return
  await gateway.channels.refresh()
  gateway.tellChannelDisabled(channel, reason)
  gateway.log.warn('a channel was disabled automatically', {
    request_id: requestId,
    channel_id: channel.id,
    reason,
  })
}

const mayBeDisabled = (
  { canBeDisabledAutomatically }: RoutedChannel,
  { isAutomaticDisableEnabled }: RelaySettings,
): boolean => isAutomaticDisableEnabled && canBeDisabledAutomatically

function holdsKeyword({ message }: Failure, { automaticDisableKeywords }: RelaySettings): boolean {
  const text = message.toLowerCase()
  return automaticDisableKeywords.some(keyword => text.includes(keyword))
}

import { nowSeconds } from '../../core/clock.ts'
import { disableChannelAutomatically } from '../../db/channel-health.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import type { RelayContext, RelaySettings } from '../relay-context.ts'
import type { RoutedChannel } from './routed-channel.ts'

/** A channel in the service of a request. */
export interface ChannelInUse {
  readonly channel: RoutedChannel
  readonly requestId: string
  /** What its client said. */
  readonly sent: unknown
}

/** Whether a failure says that the key will not work again. Keywords say so where the options would disable a channel for them. */
export const refusesKey = (
  { channel, sent }: ChannelInUse,
  failure: Failure,
  settings: RelaySettings,
): boolean =>
  failure.isKeyDead === true || (mayBeDisabled(channel, settings) && saysKeyword(failure, sent, settings))

/** Takes a channel out of routing when its failure says that its key will not work again, and the options allow it. */
export async function disableWhenDead(
  inUse: ChannelInUse,
  failure: Failure,
  gateway: RelayContext,
): Promise<void> {
  const { channel, requestId } = inUse
  const settings = gateway.settings.current()
  if (!mayBeDisabled(channel, settings) || !refusesKey(inUse, failure, settings)) return
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

/** Vendors quote what they do not understand: a keyword that the client said itself is none of theirs. */
function saysKeyword(
  { message }: Failure,
  sent: unknown,
  { automaticDisableKeywords }: RelaySettings,
): boolean {
  const text = message.toLowerCase()
  const keywords = automaticDisableKeywords.filter(keyword => text.includes(keyword))
  if (keywords.length === 0) return false
  const said = JSON.stringify(sent, withoutBytes).toLowerCase()
  return keywords.some(keyword => !said.includes(JSON.stringify(keyword).slice(1, -1)))
}

const withoutBytes = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? undefined : value)

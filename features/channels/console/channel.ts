import { z } from 'zod'
import type { BadgeMark, Tone } from '#console/ui/data/badges.tsx'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { ChannelHealth } from '#features/channel-health/contract.ts'
import type { Channel } from '../contract/channels.ts'

export const isEnabled = (channel: Channel): boolean => channel.status === CHANNEL_STATUS.enabled

type StatusKey =
  | 'enabled'
  | 'disabled'
  | 'autoDisabled'
  | 'modelsStopped'
  | 'failing'
  | 'degraded'
  | 'unknownStatus'
  | Exclude<RemarkKind, 'disabled'>

interface ChannelBadge {
  readonly textKey: StatusKey
  readonly tone: Tone
  readonly mark: BadgeMark
}

const STATUS_BADGES: Readonly<Record<number, ChannelBadge>> = {
  [CHANNEL_STATUS.enabled]: { textKey: 'enabled', tone: 'success', mark: 'filled' },
  [CHANNEL_STATUS.disabled]: { textKey: 'disabled', tone: 'neutral', mark: 'hollow' },
  [CHANNEL_STATUS.autoDisabled]: { textKey: 'autoDisabled', tone: 'warning', mark: 'triangle' },
}

export const statusBadge = (status: number): ChannelBadge =>
  STATUS_BADGES[status] ?? { textKey: 'unknownStatus', tone: 'unknown', mark: 'none' }

const OtherInfo = z.object({
  status_reason: z.string().catch(''),
  status_time: z.number().catch(0),
  is_below_cost: z.boolean().catch(false),
  is_unusable: z.boolean().catch(false),
  is_incomplete: z.boolean().catch(false),
})

/**
 * The gateway disabled the channel, doubts the usage that the provider reports, sees it sell below cost, or cannot use its
 * settings or entries of them.
 */
type RemarkKind = 'disabled' | 'doubted' | 'belowCost' | 'unusable' | 'incomplete'

export interface ChannelRemark {
  readonly kind: RemarkKind
  readonly reason: string
  /** Unix seconds; 0 is unknown. */
  readonly atSeconds: number
}

/** The gateway's action on a channel, or its warning, with reason and time; undefined for all other channels. */
export function channelRemark(channel: Channel): ChannelRemark | undefined {
  const { status_reason: reason, status_time: atSeconds, ...marks } = readOtherInfo(channel.other_info)
  if (channel.status === CHANNEL_STATUS.autoDisabled) return { kind: 'disabled', reason, atSeconds }
  if (!isEnabled(channel) || reason === '') return undefined
  if (marks.is_unusable) return { kind: 'unusable', reason, atSeconds }
  if (marks.is_incomplete) return { kind: 'incomplete', reason, atSeconds }
  return { kind: marks.is_below_cost ? 'belowCost' : 'doubted', reason, atSeconds }
}

const HEALTH_BADGES: Partial<Record<ChannelHealth['state'], ChannelBadge>> = {
  failing: { textKey: 'failing', tone: 'danger', mark: 'cross' },
  degraded: { textKey: 'degraded', tone: 'warning', mark: 'triangle' },
}

/** The status that matters most: the gateway's doubts, then how calls end at the moment, then stopped models. */
export function channelBadge(channel: Channel, health: ChannelHealth['state'] = 'idle'): ChannelBadge {
  const kind = channelRemark(channel)?.kind
  if (kind === 'unusable') return { textKey: kind, tone: 'danger', mark: 'triangle' }
  if (kind && kind !== 'disabled') return { textKey: kind, tone: 'warning', mark: 'triangle' }
  const ofHealth = isEnabled(channel) ? HEALTH_BADGES[health] : undefined
  if (ofHealth) return ofHealth
  const hasStopped = isEnabled(channel) && channel.stopped_models.length > 0
  return hasStopped
    ? { textKey: 'modelsStopped', tone: 'warning', mark: 'triangle' }
    : statusBadge(channel.status)
}

function readOtherInfo(text: string): z.infer<typeof OtherInfo> {
  try {
    return OtherInfo.parse(JSON.parse(text))
  } catch {
    return OtherInfo.parse({})
  }
}

const MS = 1000

/** The badge tone of a response time: up to 1, 3 and 5 seconds, and slower. 0 is not tested. */
export function responseTone(ms: number): Tone {
  if (ms === 0) return 'neutral'
  if (ms <= MS) return 'success'
  if (ms <= 3 * MS) return 'lime'
  return ms <= 5 * MS ? 'warning' : 'danger'
}

/** `1.23` for 1234 ms. */
export const secondsText = (ms: number): string => (ms / MS).toFixed(2)

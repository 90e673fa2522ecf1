import { z } from 'zod'
import type { Channel } from '#contract/channels/channels.ts'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { BadgeMark, Tone } from '../../ui/data/badges.tsx'

export const isEnabled = (channel: Channel): boolean => channel.status === CHANNEL_STATUS.enabled

type StatusKey = 'enabled' | 'disabled' | 'autoDisabled' | 'doubted' | 'unknownStatus'

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
})

export interface ChannelRemark {
  /** The gateway disabled the channel; else it only doubts the usage that the vendor reports. */
  readonly isDisabled: boolean
  readonly reason: string
  /** Unix seconds; 0 is unknown. */
  readonly atSeconds: number
}

/** Why and when the gateway disabled a channel, or doubted its usage; undefined for all other channels. */
export function channelRemark(channel: Channel): ChannelRemark | undefined {
  const isDisabled = channel.status === CHANNEL_STATUS.autoDisabled
  const { status_reason: reason, status_time: atSeconds } = readOtherInfo(channel.other_info)
  const isDoubted = isEnabled(channel) && reason !== ''
  return isDisabled || isDoubted ? { isDisabled, reason, atSeconds } : undefined
}

const DOUBTED: ChannelBadge = { textKey: 'doubted', tone: 'warning', mark: 'triangle' }

export const channelBadge = (channel: Channel): ChannelBadge =>
  isEnabled(channel) && channelRemark(channel) ? DOUBTED : statusBadge(channel.status)

function readOtherInfo(text: string): z.infer<typeof OtherInfo> {
  try {
    return OtherInfo.parse(JSON.parse(text))
  } catch {
    return { status_reason: '', status_time: 0 }
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

import { z } from 'zod'
import type { Channel } from '#contract/channels/channels.ts'
import type { BadgeMark, Tone } from '../../ui/data/status-badge.tsx'

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, disabledByGateway: 3 } as const

export const isEnabled = (channel: Channel): boolean => channel.status === CHANNEL_STATUS.enabled

type StatusKey = 'enabled' | 'disabled' | 'autoDisabled' | 'unknownStatus'

interface ChannelBadge {
  readonly word: StatusKey
  readonly tone: Tone
  readonly mark: BadgeMark
}

const STATUS_BADGES: Readonly<Record<number, ChannelBadge>> = {
  [CHANNEL_STATUS.enabled]: { word: 'enabled', tone: 'success', mark: 'filled' },
  [CHANNEL_STATUS.disabled]: { word: 'disabled', tone: 'neutral', mark: 'hollow' },
  [CHANNEL_STATUS.disabledByGateway]: { word: 'autoDisabled', tone: 'warning', mark: 'triangle' },
}

export const statusBadge = (status: number): ChannelBadge =>
  STATUS_BADGES[status] ?? { word: 'unknownStatus', tone: 'unknown', mark: 'none' }

const OtherInfo = z.object({
  status_reason: z.string().catch(''),
  status_time: z.number().catch(0),
})

export interface AutoDisableReason {
  readonly reason: string
  /** Unix seconds; 0 unknown. */
  readonly atSeconds: number
}

/** Why and when the gateway disabled a channel. Undefined for channels that it did not disable. */
export function autoDisableReason(channel: Channel): AutoDisableReason | undefined {
  if (channel.status !== CHANNEL_STATUS.disabledByGateway) return undefined
  const { status_reason: reason, status_time: atSeconds } = readOtherInfo(channel.other_info)
  return { reason, atSeconds }
}

function readOtherInfo(text: string): z.infer<typeof OtherInfo> {
  try {
    return OtherInfo.parse(JSON.parse(text))
  } catch {
    return { status_reason: '', status_time: 0 }
  }
}

const MS = 1000

/** Bands of the specification: up to 1, 3 and 5 seconds. */
export function responseTone(ms: number): Tone {
  if (ms === 0) return 'neutral'
  if (ms <= MS) return 'success'
  if (ms <= 3 * MS) return 'lime'
  return ms <= 5 * MS ? 'warning' : 'danger'
}

/** `1.23` for 1234 ms. */
export const secondsText = (ms: number): string => (ms / MS).toFixed(2)

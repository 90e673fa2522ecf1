import type { Channel } from '../contract/channels.ts'
import { isEnabled } from './channel.ts'

interface ChannelRow {
  readonly kind: 'channel'
  readonly channel: Channel
}

/** The listed channels with the same tag. The row with the empty tag holds the untagged channels. */
export interface TagRow {
  readonly kind: 'tag'
  readonly tag: string
  readonly channelRows: readonly ChannelRow[]
  readonly groups: readonly string[]
  readonly enabledCount: number
  /** Undefined when the channels differ. */
  readonly priority: number | undefined
  readonly weight: number | undefined
  /** Mean response time of the tested channels in milliseconds; 0 when none was tested. */
  readonly responseMs: number
  readonly usedQuota: number
  readonly balance: number
}

export type Row = ChannelRow | TagRow

export const toChannelRows = (channels: readonly Channel[]): ChannelRow[] =>
  channels.map(channel => ({ kind: 'channel', channel }))

/** Groups channels by tag, in the order of their first channels. Untagged channels come last. */
export function toTagRows(channels: readonly Channel[]): TagRow[] {
  const byTag = Map.groupBy(channels, channel => channel.tag)
  const tags = [...byTag.keys()].toSorted((a, b) => Number(a === '') - Number(b === ''))
  return tags.map(tag => tagRow(tag, byTag.get(tag) ?? []))
}

function tagRow(tag: string, channels: readonly Channel[]): TagRow {
  const tested = channels.filter(channel => channel.response_time > 0)
  return {
    kind: 'tag',
    tag,
    channelRows: toChannelRows(channels),
    groups: [...new Set(channels.flatMap(channel => channel.groups))],
    enabledCount: channels.filter(isEnabled).length,
    priority: sharedValue(channels.map(channel => channel.priority)),
    weight: sharedValue(channels.map(channel => channel.weight)),
    responseMs:
      tested.length === 0 ? 0 : Math.round(sum(tested.map(channel => channel.response_time)) / tested.length),
    usedQuota: sum(channels.map(channel => channel.used_quota)),
    balance: sum(channels.map(channel => channel.balance)),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const sharedValue = (values: readonly number[]): number | undefined =>
  values.every(value => value === values[0]) ? values[0] : undefined

export const rowId = (row: Row): string => (row.kind === 'tag' ? `tag:${row.tag}` : String(row.channel.id))

export const subRows = (row: Row): readonly Row[] | undefined =>
  row.kind === 'tag' ? row.channelRows : undefined

/** The ids of the channels among selected rows. A tag row is skipped: its channels are selected with it. */
export const selectedChannelIds = (ids: Iterable<string>): number[] =>
  [...ids].map(Number).filter(id => Number.isInteger(id))

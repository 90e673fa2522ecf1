import type { Channel } from '#contract/channels/channels.ts'
import { isEnabled } from './channel.ts'

export interface ChannelRow {
  readonly kind: 'channel'
  readonly channel: Channel
}

/** All listed channels with the same tag. An empty tag holds those without one. */
export interface TagRow {
  readonly kind: 'tag'
  readonly tag: string
  readonly channelRows: readonly ChannelRow[]
  readonly groups: readonly string[]
  readonly enabledCount: number
  /** Undefined where the channels differ. */
  readonly priority: number | undefined
  readonly weight: number | undefined
  /** The mean of the tested channels in ms; 0 when none was tested. */
  readonly responseMs: number
  readonly usedQuota: number
  readonly balance: number
}

export type Row = ChannelRow | TagRow

export const toChannelRows = (channels: readonly Channel[]): ChannelRow[] =>
  channels.map(channel => ({ kind: 'channel', channel }))

/** Channels under their tags, in the order in which the tags come; those without a tag last. */
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
      tested.length === 0 ? 0 : Math.round(sum(tested.map(tested => tested.response_time)) / tested.length),
    usedQuota: sum(channels.map(channel => channel.used_quota)),
    balance: sum(channels.map(channel => channel.balance)),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const sharedValue = (values: readonly number[]): number | undefined =>
  values.every(value => value === values[0]) ? values[0] : undefined

export const rowId = (line: Row): string =>
  line.kind === 'tag' ? `tag:${line.tag}` : String(line.channel.id)

export const subRows = (line: Row): readonly Row[] | undefined =>
  line.kind === 'tag' ? line.channelRows : undefined

/** The channels among selected lines; a tag's line stands for its channels, which are selected with it. */
export const selectedChannelIds = (ids: Iterable<string>): number[] =>
  [...ids].map(Number).filter(id => Number.isInteger(id))

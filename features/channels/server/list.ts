import type { z } from 'zod'
import type { ListMeta } from '#contract/endpoint.ts'
import { CHANNEL_KEY_PURPOSE, type Secrets } from '#server/core/crypto.ts'
import { type ChannelFilter, type ChannelRow, listChannels } from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'
import { countChannels, listChannelsByTags, listTags } from './queries/channels.ts'

/** In tag mode a page contains every channel of its tags; this bounds the response. */
const CHANNELS_OF_TAGS_MAX = 5000

export interface ChannelListQuery extends ChannelConditions {
  readonly p: number
  readonly page_size: number
  readonly id_sort: boolean
  readonly tag_mode: boolean
}

interface ChannelConditions {
  readonly status: number
  readonly type: number
  readonly keyword?: string
  readonly model?: string
  readonly group?: string
}

interface ChannelPageResult {
  readonly rows: readonly ChannelRow[]
  readonly totals: z.infer<typeof ListMeta>
}

/** Lists one page of channels or, in tag mode, one page of tags with all their channels. */
export async function listChannelPage(
  db: Database,
  query: ChannelListQuery,
  secrets: Secrets,
): Promise<ChannelPageResult> {
  const { p, page_size, id_sort: isById } = query
  const filter = toFilter(query, secrets)
  const offset = p * page_size
  const totalsOf = (total: number) => ({ total, page: p, page_size })
  if (!query.tag_mode) {
    const rows = await listChannels(db, filter, { offset, limit: page_size, isById })
    return { rows, totals: totalsOf(await countChannels(db, filter)) }
  }
  const tags = untaggedLast(await listTags(db, filter))
  const shown = tags.slice(offset, offset + page_size)
  const rows = await listChannelsByTags(db, shown, { limit: CHANNELS_OF_TAGS_MAX, isById })
  return { rows, totals: totalsOf(tags.length) }
}

const untaggedLast = (tags: readonly string[]): string[] => [
  ...tags.filter(tag => tag !== ''),
  ...tags.filter(tag => tag === ''),
]

/** Older consoles send the text `null` when no group is chosen. */
export const toFilter = (query: ChannelConditions, secrets: Secrets): ChannelFilter => ({
  status: query.status,
  type: query.type,
  keyword: query.keyword ?? '',
  keyHash: query.keyword ? secrets.hash(CHANNEL_KEY_PURPOSE, query.keyword) : '',
  model: query.model ?? '',
  group: query.group === 'null' ? '' : (query.group ?? ''),
})

import { readStored, writeStored } from '../../app/local-store.ts'
import { pageSizeOf } from '../../app/table-state.ts'
import type { ChannelListQuery } from './queries.ts'
import type { ChannelSearch } from './search.ts'

/** Newest first instead of highest priority first. The address wins over the choice kept under `id-sort`. */
export const isSortedById = (search: ChannelSearch): boolean =>
  (search.idsort ?? (readStored('id-sort') === 'true' ? '1' : '0')) === '1'

export const keepIdSort = (isById: boolean): void => writeStored('id-sort', String(isById))

export const listQueryOf = (search: ChannelSearch): ChannelListQuery => ({
  page: search.p,
  size: pageSizeOf(search),
  keyword: search.q,
  model: search.model,
  group: search.group,
  status: Number(search.status),
  type: Number(search.type),
  isById: isSortedById(search),
  isByTag: search.tagmode === '1',
})

/** How many filters besides the search box are on. */
export const activeFilters = ({ model, group, status, type }: ChannelSearch): number =>
  [model, group, status, type].filter(value => value !== '').length

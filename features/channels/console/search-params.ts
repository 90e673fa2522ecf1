import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { z } from 'zod'
import { effectivePageSize, PageSearch } from '#console/app/list/list-search-params.ts'
import { readStored, writeStored } from '#console/app/preferences/local-store.ts'
import type { ChannelListQuery } from './queries.ts'

const Text = z.string().catch('').default('')
const Digits = z.string().regex(/^\d*$/).catch('').default('')
const Switch = z.enum(['', '1']).catch('').default('')

export const GROUP_DEFAULT = 'default'

/**
 * The URL state of the channel list. `test` is the channel whose test dialog is open, `tag` the tag whose sheet is open,
 * and `preview` opens the route preview for the model `route` and the group `routegroup`.
 */
export const ChannelSearch = z.object({
  ...PageSearch,
  q: Text,
  model: Text,
  group: Text,
  status: z.enum(['', '1', '2', '3']).catch('').default(''),
  type: Digits,
  tagmode: Switch,
  /** Absent: the stored preference applies. */
  idsort: z.enum(['0', '1']).optional().catch(undefined),
  test: Digits,
  tag: Text,
  preview: Switch,
  route: Text,
  routegroup: z.string().min(1).catch(GROUP_DEFAULT).default(GROUP_DEFAULT),
})
export type ChannelSearch = z.infer<typeof ChannelSearch>

/** True for newest first instead of highest priority first. The URL wins over the preference stored under `id-sort`. */
export const isSortedById = (search: ChannelSearch): boolean =>
  (search.idsort ?? (readStored('id-sort') === 'true' ? '1' : '0')) === '1'

export const saveIdSort = (isById: boolean): void => void writeStored('id-sort', String(isById))

export const toListQuery = (search: ChannelSearch): ChannelListQuery => ({
  page: search.p,
  size: effectivePageSize(search),
  keyword: search.q,
  model: search.model,
  group: search.group,
  status: Number(search.status),
  type: Number(search.type),
  isById: isSortedById(search),
  isByTag: search.tagmode === '1',
})

/** The number of active filters besides the search box. */
export const countActiveFilters = ({ model, group, status, type }: ChannelSearch): number =>
  [model, group, status, type].filter(value => value !== '').length

export type OpenSheet = { readonly mode: 'add' } | { readonly mode: 'edit'; readonly id: number }

/** The channel sheet that the path opens: `/channel/add`, `/channel/edit/7`. */
export function useOpenSheet(): OpenSheet | undefined {
  const { pathname } = useLocation()
  const { id }: { readonly id?: string } = useParams({ strict: false })
  if (pathname.endsWith('/channel/add')) return { mode: 'add' }
  return id === undefined ? undefined : { mode: 'edit', id: Number(id) }
}

/** Opens and closes the sheets and keeps the filters of the list in the URL. */
export function useSheetNavigation() {
  const navigate = useNavigate()
  return useMemo(() => {
    const go = (to: string, replace = false) =>
      void navigate({ to, search: (before: object) => before, replace, resetScroll: false })
    return {
      openNew: () => go('/channel/add'),
      open: (id: number) => go(`/channel/edit/${id}`),
      /** Replaces the history entry, so that Back leads to the list. */
      switchTo: (id: number) => go(`/channel/edit/${id}`, true),
      close: () => go('/channel'),
    }
  }, [navigate])
}

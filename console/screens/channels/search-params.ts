import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { z } from 'zod'
import { PageSearch, pageSizeOf } from '../../app/list/list-search-params.ts'
import { readStored, writeStored } from '../../app/preferences/local-store.ts'
import type { ChannelListQuery } from './queries.ts'

const Text = z.string().catch('').default('')
const Digits = z.string().regex(/^\d*$/).catch('').default('')
const Switch = z.enum(['', '1']).catch('').default('')

export const GROUP_DEFAULT = 'default'

/** What the channel list's address holds. `test` and `tag` name the channel and the tag whose dialog is open; `preview` opens the dry run for the model `route`. */
export const ChannelSearch = z.object({
  ...PageSearch,
  q: Text,
  model: Text,
  group: Text,
  status: z.enum(['', '1', '2', '3']).catch('').default(''),
  type: Digits,
  tagmode: Switch,
  /** Absent while the reader's own choice holds. */
  idsort: z.enum(['0', '1']).optional().catch(undefined),
  test: Digits,
  tag: Text,
  preview: Switch,
  route: Text,
  routegroup: z.string().min(1).catch(GROUP_DEFAULT).default(GROUP_DEFAULT),
})
export type ChannelSearch = z.infer<typeof ChannelSearch>

/** Newest first instead of highest priority first. The address wins over the choice kept under `id-sort`. */
export const isSortedById = (search: ChannelSearch): boolean =>
  (search.idsort ?? (readStored('id-sort') === 'true' ? '1' : '0')) === '1'

export const saveIdSort = (isById: boolean): void => writeStored('id-sort', String(isById))

export const toListQuery = (search: ChannelSearch): ChannelListQuery => ({
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
export const countActiveFilters = ({ model, group, status, type }: ChannelSearch): number =>
  [model, group, status, type].filter(value => value !== '').length

export type OpenSheet = { readonly mode: 'add' } | { readonly mode: 'edit'; readonly id: number }

/** Which channel sheet the address asks for: `/channel/add`, `/channel/edit/7`. */
export function useOpenSheet(): OpenSheet | undefined {
  const { pathname } = useLocation()
  const { id }: { readonly id?: string } = useParams({ strict: false })
  if (pathname.endsWith('/channel/add')) return { mode: 'add' }
  return id === undefined ? undefined : { mode: 'edit', id: Number(id) }
}

/** Opens and closes the sheets; the list's filters stay in the address. Back leads to the list also after `turnTo`. */
export function useSheetNavigation() {
  const navigate = useNavigate()
  return useMemo(() => {
    const go = (to: string, replace = false) =>
      void navigate({ to, search: (before: object) => before, replace, resetScroll: false })
    return {
      add: () => go('/channel/add'),
      edit: (id: number) => go(`/channel/edit/${id}`),
      turnTo: (id: number) => go(`/channel/edit/${id}`, true),
      close: () => go('/channel'),
    }
  }, [navigate])
}

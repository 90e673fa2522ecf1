import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { z } from 'zod'
import { PageSearch } from '#console/app/list/list-search-params.ts'

const Text = z.string().catch('').default('')

/** The URL state of the user list. `q` is an id or part of a name or email address; status -1 is deregistered. */
export const UserSearch = z.object({
  ...PageSearch,
  q: Text,
  group: Text,
  role: z.enum(['', '1', '10', '100', 'organization']).catch('').default(''),
  status: z.enum(['', '1', '2', '-1']).catch('').default(''),
  sort: z.enum(['', 'quota', '-quota', 'used_quota', '-used_quota']).catch('').default(''),
})
export type UserSearch = z.infer<typeof UserSearch>

export type OpenSheet = { readonly mode: 'add' } | { readonly mode: 'edit'; readonly id: number }

/** The sheet that the path opens: `/user/add`, `/user/edit/7`. */
export function useOpenSheet(): OpenSheet | undefined {
  const { pathname } = useLocation()
  const { id }: { readonly id?: string } = useParams({ strict: false })
  if (pathname.endsWith('/user/add')) return { mode: 'add' }
  return id === undefined || !pathname.includes('/user/edit/') ? undefined : { mode: 'edit', id: Number(id) }
}

/** The user whose own page the path opens: `/user/7`. */
export function usePersonId(): number | undefined {
  const { pathname } = useLocation()
  const [, id] = /\/user\/(\d{1,15})\/?$/.exec(pathname) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Opens and closes the sheets and keeps the filters of the list in the URL. `leavesForm` skips the unsaved-changes prompt. */
export function useSheetNavigation() {
  const navigate = useNavigate()
  return useMemo(() => {
    const go = (to: string, options: { readonly replace?: boolean; readonly ignoreBlocker?: boolean } = {}) =>
      void navigate({ to, search: (before: object) => before, resetScroll: false, ...options })
    return {
      openNew: () => go('/user/add'),
      open: (id: number) => go(`/user/edit/${id}`),
      /** Replaces the history entry, so that Back leads to the list. */
      switchTo: (id: string) => go(`/user/edit/${id}`, { replace: true }),
      close: (leavesForm = false) => go('/user', { ignoreBlocker: leavesForm }),
    }
  }, [navigate])
}

import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { z } from 'zod'
import { PageSearch } from '../../app/list/table-view.ts'

const Text = z.string().catch('').default('')

/** `q` an id or part of a name or address. `status` -1 are the deregistered. */
export const UserSearch = z.object({
  ...PageSearch,
  q: Text,
  group: Text,
  role: z.enum(['', '1', '10', '100']).catch('').default(''),
  status: z.enum(['', '1', '2', '-1']).catch('').default(''),
  sort: z.enum(['', 'quota', '-quota', 'used_quota', '-used_quota']).catch('').default(''),
})
export type UserSearch = z.infer<typeof UserSearch>

export type OpenSheet = { readonly mode: 'add' } | { readonly mode: 'edit'; readonly id: number }

/** Which sheet the address asks for: `/user/add`, `/user/edit/7`. */
export function useOpenSheet(): OpenSheet | undefined {
  const { pathname } = useLocation()
  const { id }: { readonly id?: string } = useParams({ strict: false })
  if (pathname.endsWith('/user/add')) return { mode: 'add' }
  return id === undefined ? undefined : { mode: 'edit', id: Number(id) }
}

/** Opens and closes the sheets; the list's filters stay in the address. After saving, `leavesForm` asks nothing. */
export function useSheetNavigation() {
  const navigate = useNavigate()
  return useMemo(() => {
    const go = (to: string, how: { readonly replace?: boolean; readonly ignoreBlocker?: boolean } = {}) =>
      void navigate({ to, search: (before: object) => before, resetScroll: false, ...how })
    return {
      add: () => go('/user/add'),
      edit: (id: number) => go(`/user/edit/${id}`),
      turnTo: (id: string) => go(`/user/edit/${id}`, { replace: true }),
      close: (leavesForm = false) => go('/user', { ignoreBlocker: leavesForm }),
    }
  }, [navigate])
}

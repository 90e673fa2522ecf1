import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'

export type OpenSheet = { readonly mode: 'add' } | { readonly mode: 'edit'; readonly id: number }

/** Which sheet the address asks for: `/user/add`, `/user/edit/7`. */
export function useOpenSheet(): OpenSheet | undefined {
  const { pathname } = useLocation()
  const { id }: { readonly id?: string } = useParams({ strict: false })
  if (pathname.endsWith('/user/add')) return { mode: 'add' }
  return id === undefined ? undefined : { mode: 'edit', id: Number(id) }
}

/** Opens and closes the sheets; the list's filters stay in the address. After saving, `leavesForm` asks nothing. */
export function usePlace() {
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

import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'

export type OpenSheet = { readonly mode: 'add' } | { readonly mode: 'edit'; readonly id: number }

/** Which channel sheet the address asks for: `/channel/add`, `/channel/edit/7`. */
export function useOpenSheet(): OpenSheet | undefined {
  const { pathname } = useLocation()
  const { id }: { readonly id?: string } = useParams({ strict: false })
  if (pathname.endsWith('/channel/add')) return { mode: 'add' }
  return id === undefined ? undefined : { mode: 'edit', id: Number(id) }
}

/** Opens and closes the sheets; the list's filters stay in the address. Back leads to the list also after `turnTo`. */
export function usePlace() {
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

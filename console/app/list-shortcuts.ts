import { useCallback } from 'react'
import { kitText } from '../ui/kit-text.ts'
import { useText } from '../ui/text.ts'
import { appText } from './app-text.ts'
import { useShortcut } from './shortcuts.ts'

interface ListKeys {
  readonly page: number
  readonly hasNext: boolean
  readonly onPage: (page: number) => void
  readonly onRefresh: () => void
  readonly onNew: () => void
}

/** The keys of every list: `n` new, `r` refresh, `[` and `]` page. */
export function useListShortcuts({ page, hasNext, onPage, onRefresh, onNew }: ListKeys): void {
  const t = useText(appText)
  const k = useText(kitText)
  const previous = useCallback(() => page > 1 && onPage(page - 1), [page, onPage])
  const next = useCallback(() => hasNext && onPage(page + 1), [page, hasNext, onPage])
  useShortcut('n', t('newRecord'), onNew)
  useShortcut('r', t('refreshPage'), onRefresh)
  useShortcut('[', k('previousPage'), previous)
  useShortcut(']', k('nextPage'), next)
}

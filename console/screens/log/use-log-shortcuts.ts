import { useCallback } from 'react'
import { appText } from '../../app/app-text.ts'
import { useShortcut } from '../../app/shortcuts.ts'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'

interface LogKeys {
  readonly page: number
  readonly hasNext: boolean
  readonly onPage: (page: number) => void
  readonly onRefresh: () => void
}

/** The keys of a list in which nothing new is made. */
export function useLogShortcuts({ page, hasNext, onPage, onRefresh }: LogKeys): void {
  const t = useText(appText)
  const kit = useText(kitText)
  const previous = useCallback(() => page > 1 && onPage(page - 1), [page, onPage])
  const next = useCallback(() => hasNext && onPage(page + 1), [page, hasNext, onPage])
  useShortcut('r', t('refreshPage'), onRefresh)
  useShortcut('[', kit('previousPage'), previous)
  useShortcut(']', kit('nextPage'), next)
}

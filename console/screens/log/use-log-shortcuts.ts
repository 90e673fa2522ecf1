import { useCallback } from 'react'
import { useAppText } from '../../app/app-text.ts'
import { useShortcut } from '../../app/shell/shortcuts.ts'
import { useKitText } from '../../ui/text/kit-text.ts'

interface LogShortcuts {
  readonly page: number
  readonly hasNext: boolean
  readonly onPage: (page: number) => void
  readonly onRefresh: () => void
}

/** The keys of a list in which nothing new is made. */
export function useLogShortcuts({ page, hasNext, onPage, onRefresh }: LogShortcuts): void {
  const t = useAppText()
  const kit = useKitText()
  const previous = useCallback(() => page > 1 && onPage(page - 1), [page, onPage])
  const next = useCallback(() => hasNext && onPage(page + 1), [page, hasNext, onPage])
  useShortcut('r', t('refreshPage'), onRefresh)
  useShortcut('[', kit('previousPage'), previous)
  useShortcut(']', kit('nextPage'), next)
}

import type { PreviousNext } from '../../ui/overlays/sheet.tsx'
import { useAppText } from '../app-text.ts'

interface WithId {
  readonly id: number
}

/** Links to the previous and next record on the current page of a list. */
export function usePreviousNext(
  rows: readonly WithId[],
  id: number,
  onOpen: (id: string) => void,
): PreviousNext {
  const t = useAppText()
  const index = rows.findIndex(row => row.id === id)
  const to = (row: WithId | undefined) => (index < 0 || !row ? undefined : () => onOpen(String(row.id)))
  return {
    previous: to(rows[index - 1]),
    next: to(rows[index + 1]),
    previousLabel: t('previousRecord'),
    nextLabel: t('nextRecord'),
  }
}

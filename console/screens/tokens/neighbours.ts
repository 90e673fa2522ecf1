import type { Token } from '#contract/tokens.ts'
import type { SheetNeighbours } from '../../ui/sheet.tsx'
import type { Translate } from '../../ui/text.ts'
import type { text } from './text.ts'

/** The tokens before and after this one on the page of the list. */
export function neighboursOf(
  rows: readonly Token[],
  edit: string,
  onOpen: (edit: string) => void,
  t: Translate<keyof typeof text.zh>,
): SheetNeighbours {
  const index = rows.findIndex(token => String(token.id) === edit)
  const to = (token: Token | undefined) => (index < 0 || !token ? undefined : () => onOpen(String(token.id)))
  return {
    previous: to(rows[index - 1]),
    next: to(rows[index + 1]),
    previousLabel: t('previous'),
    nextLabel: t('next'),
  }
}

import { SlidersHorizontal } from 'lucide-react'
import { iconButtonClasses } from '../button-classes.ts'
import { kitText } from '../kit-text.ts'
import { lazyPart } from '../lazy-part.ts'
import { PopoverButton } from '../popover-button.tsx'
import { useText } from '../text.ts'
import type { ColumnChoice, TableView } from './column.ts'

interface ViewButtonProps {
  readonly columns: readonly ColumnChoice[]
  readonly view: TableView
  readonly onChange: (view: TableView) => void
}

const panel = lazyPart(async () => (await import('./view-panel.tsx')).ViewPanel)

/** Chooses columns and row height, which cards have none of. The screen keeps the choice. */
export function ViewButton({ columns, view, onChange }: ViewButtonProps) {
  const t = useText(kitText)
  return (
    <PopoverButton
      label={t('viewOptions')}
      hasTooltip
      className={`${iconButtonClasses('ghost')} text-muted hover:text-fg max-sm:hidden`}
      face={<SlidersHorizontal size={17} aria-hidden />}
    >
      {() => <panel.Part columns={columns} view={view} onChange={onChange} />}
    </PopoverButton>
  )
}

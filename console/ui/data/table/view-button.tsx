import { SlidersHorizontal } from 'lucide-react'
import { PopoverButton } from '../../buttons/popup-buttons.tsx'
import { iconButtonClasses } from '../../class-names.ts'
import { lazyPart } from '../../lazy-part.ts'
import { useKitText } from '../../text/kit-text.ts'
import type { ColumnChoice, TableView } from './column.ts'

interface ViewButtonProps {
  readonly columns: readonly ColumnChoice[]
  readonly view: TableView
  readonly onChange: (view: TableView) => void
}

const panel = lazyPart(async () => (await import('./view-panel.tsx')).ViewPanel)

/** Chooses columns and density. Hidden on phones, where rows are cards. The screen stores the choice. */
export function ViewButton({ columns, view, onChange }: ViewButtonProps) {
  const t = useKitText()
  return (
    <PopoverButton
      label={t('viewOptions')}
      hasTooltip
      className={`${iconButtonClasses('ghost')} text-muted hover:text-fg max-sm:hidden`}
      content={<SlidersHorizontal size={17} aria-hidden />}
    >
      {() => <panel.Part columns={columns} view={view} onChange={onChange} />}
    </PopoverButton>
  )
}

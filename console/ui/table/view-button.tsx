import { SlidersHorizontal } from 'lucide-react'
import { Button } from '../button.tsx'
import { iconButtonClasses } from '../button-classes.ts'
import { Checkbox } from '../checkbox.tsx'
import { kitText } from '../kit-text.ts'
import { PopoverButton } from '../popover-button.tsx'
import { useText } from '../text.ts'
import { type Column, FIRST_VIEW, type TableView } from './column.ts'
import { DensityChoice } from './density-choice.tsx'
import { isColumnShown } from './use-rows.ts'

interface ViewButtonProps<Row> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly view: TableView
  readonly onChange: (view: TableView) => void
}

/** Chooses columns and row height. The screen keeps the choice. */
export function ViewButton<Row>({ columns, view, onChange }: ViewButtonProps<Row>) {
  const t = useText(kitText)
  const toggle = (column: Column<Row>) => onChange(withColumn(view, column, !isColumnShown(column, view)))
  return (
    <PopoverButton
      label={t('viewOptions')}
      hasTooltip
      className={`${iconButtonClasses('ghost')} text-muted hover:text-fg`}
      face={<SlidersHorizontal size={17} aria-hidden />}
    >
      {() => (
        <div className="grid gap-3 p-3">
          <DensityChoice density={view.density} onChange={density => onChange({ ...view, density })} />
          <fieldset className="grid gap-2">
            <legend className="mb-2 text-caption font-medium text-muted">{t('columns')}</legend>
            {columns
              .filter(column => !column.isFixed)
              .map(column => (
                <Checkbox
                  key={column.id}
                  checked={isColumnShown(column, view)}
                  onChange={() => toggle(column)}
                >
                  {column.header}
                </Checkbox>
              ))}
          </fieldset>
          <Button
            size="small"
            look="link"
            className="justify-self-start"
            onClick={() => onChange(FIRST_VIEW)}
          >
            {t('resetView')}
          </Button>
        </div>
      )}
    </PopoverButton>
  )
}

function withColumn<Row>(view: TableView, column: Column<Row>, isShown: boolean): TableView {
  const without = (ids: readonly string[]) => ids.filter(id => id !== column.id)
  if (column.isExtra) return { ...view, shown: isShown ? [...view.shown, column.id] : without(view.shown) }
  return { ...view, hidden: isShown ? without(view.hidden) : [...view.hidden, column.id] }
}

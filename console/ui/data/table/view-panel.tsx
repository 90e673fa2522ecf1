import { Button } from '../../buttons/buttons.tsx'
import { Checkbox, SegmentedChoice } from '../../forms/fields.tsx'
import { useKitText } from '../../text/kit-text.ts'
import { type ColumnChoice, DEFAULT_VIEW, isColumnShown, type TableView } from './column.ts'

interface ViewPanelProps {
  readonly columns: readonly ColumnChoice[]
  readonly view: TableView
  readonly onChange: (view: TableView) => void
}

/** View options of a table. */
export function ViewPanel({ columns, view, onChange }: ViewPanelProps) {
  const t = useKitText()
  return (
    <div className="grid gap-3 p-3">
      <SegmentedChoice
        label={t('density')}
        value={view.density}
        onChange={density => onChange({ ...view, density })}
        options={[
          { value: 'comfortable', label: t('comfortable') },
          { value: 'compact', label: t('compact') },
        ]}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-2 text-small font-medium">{t('columns')}</legend>
        {columns
          .filter(column => !column.isFixed)
          .map(column => (
            <Checkbox
              key={column.id}
              checked={isColumnShown(column, view)}
              onChange={() => onChange(withColumn(view, column))}
            >
              {column.header}
            </Checkbox>
          ))}
      </fieldset>
      <Button
        size="small"
        variant="link"
        className="justify-self-start"
        onClick={() => onChange(DEFAULT_VIEW)}
      >
        {t('resetView')}
      </Button>
    </div>
  )
}

/** Toggles a column of a view. */
function withColumn(view: TableView, column: ColumnChoice): TableView {
  const isShown = !isColumnShown(column, view)
  const without = (ids: readonly string[]) => ids.filter(id => id !== column.id)
  if (column.isExtra) return { ...view, shown: isShown ? [...view.shown, column.id] : without(view.shown) }
  return { ...view, hidden: isShown ? without(view.hidden) : [...view.hidden, column.id] }
}

import { Table2 } from 'lucide-react'
import { Suspense } from 'react'
import { PopoverButton } from '../../buttons/popup-buttons.tsx'
import { buttonClasses, classes } from '../../class-names.ts'
import { lazyPart } from '../../lazy-part.ts'
import type { SlotRowsProps } from './slot-rows.tsx'

const rows = lazyPart(async () => (await import('./slot-rows.tsx')).SlotRows)

/** Button that shows the data of a chart as a table. */
export function SlotTable(props: SlotRowsProps) {
  return (
    <PopoverButton
      label={props.texts.asTable}
      hasTooltip
      className={classes(buttonClasses('ghost', 'small'), 'px-1.5 text-muted')}
      content={<Table2 size={15} aria-hidden />}
    >
      {() => (
        <Suspense fallback={null}>
          <rows.Part {...props} />
        </Suspense>
      )}
    </PopoverButton>
  )
}

import type { Series, Slot } from './series.ts'

export interface SlotRowsProps {
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly texts: { readonly asTable: string; readonly caption: string; readonly time: string }
}

/** The data of a chart as a table, newest first. */
export function SlotRows({ slots, series, format, texts }: SlotRowsProps) {
  const filled = slots.filter(slot => Object.keys(slot.values).length > 0).toReversed()
  return (
    <section
      aria-label={texts.asTable}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
      tabIndex={0}
      className="max-h-90 overflow-auto outline-offset-[-2px]"
    >
      <table className="text-small tabular">
        <caption className="sr-only">{texts.caption}</caption>
        <thead className="sticky top-0 bg-sunken text-caption text-muted">
          <tr>
            <th scope="col" className="px-3 py-2 text-left font-medium">
              {texts.time}
            </th>
            {series.map(({ id, name }) => (
              <th key={id} scope="col" className="px-3 py-2 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.map(slot => (
            <tr key={slot.key} className="border-t border-line">
              <th scope="row" className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                {slot.label}
              </th>
              {series.map(({ id }) => (
                <td key={id} className="px-3 py-1.5 text-right">
                  {format(slot.values[id] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

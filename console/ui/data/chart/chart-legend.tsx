import { classes } from '../../class-names.ts'

/** A series as the legend shows it. `swatch`: the class of its color. */
interface LegendEntry {
  readonly id: string
  readonly name: string
  readonly swatch: string
}

interface ChartLegendProps {
  readonly series: readonly LegendEntry[]
  readonly hidden: ReadonlySet<string>
  readonly onToggle: (id: string) => void
}

/** The names of a chart's series, each a button that hides or shows it. */
export const ChartLegend = ({ series, hidden, onToggle }: ChartLegendProps) => (
  <div className="mt-1 flex flex-wrap justify-center gap-1 text-caption text-muted">
    {series.map(({ id, name, swatch }) => (
      <button
        key={id}
        type="button"
        aria-pressed={!hidden.has(id)}
        onClick={() => onToggle(id)}
        className={classes(
          'flex h-6 max-w-full items-center gap-1.5 rounded-control px-1.5 touch-target hover:bg-hover',
          hidden.has(id) && 'line-through opacity-70',
        )}
      >
        <span aria-hidden className={classes('size-2 shrink-0 rounded-[2px]', swatch)} />
        <span className="truncate">{name}</span>
      </button>
    ))}
  </div>
)

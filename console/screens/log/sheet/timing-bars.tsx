import { classes } from '../../../ui/class-names.ts'
import { useText } from '../../../ui/text/text.ts'
import { formatSeconds, type Timing } from '../detail.ts'
import { text } from '../text.ts'

const WHOLE = 100

/** The first token and the whole answer, drawn to the same scale. */
export function TimingBars({ timing }: { readonly timing: Timing }) {
  const t = useText(text)
  const { totalMs, firstTokenMs } = timing
  const bars = [
    ...(firstTokenMs === undefined ? [] : [{ label: t('firstToken'), ms: firstTokenMs, colour: 'bg-series-8' }]),
    { label: t('totalTime'), ms: totalMs, colour: 'bg-primary' },
  ]
  return (
    <dl className="grid grid-cols-[minmax(5rem,max-content)_1fr_max-content] items-center gap-x-3 gap-y-1.5 text-small">
      {bars.map(({ label, ms, colour }) => (
        <div key={label} className="col-span-3 grid grid-cols-subgrid items-center">
          <dt className="text-muted">{label}</dt>
          <dd aria-hidden className="h-2 rounded-full bg-neutral-bg">
            <span
              className={classes('block h-full min-w-0.5 rounded-full', colour)}
              style={{ width: `${totalMs > 0 ? (ms / totalMs) * WHOLE : 0}%` }}
            />
          </dd>
          <dd className="text-right tabular">{t('seconds', { seconds: formatSeconds(ms) })}</dd>
        </div>
      ))}
    </dl>
  )
}

import { classes } from './classes.ts'
import { seriesOf } from './tag.tsx'

const TINTS = [
  'text-series-1',
  'text-series-2',
  'text-series-3',
  'text-series-4',
  'text-series-5',
  'text-series-6',
  'text-series-7',
  'text-series-8',
] as const

/** The first letter of a name in the name's own colour: a mark to find it by. Says nothing to screen readers. */
export const Monogram = ({ name }: { readonly name: string }) => (
  <span
    aria-hidden
    className={classes(
      'inline-flex size-5 shrink-0 items-center justify-center rounded-[5px] border border-current/30 text-[0.6875rem] leading-none font-semibold',
      TINTS[seriesOf(name)],
    )}
  >
    {[...name.trim()][0]?.toUpperCase() ?? '?'}
  </span>
)

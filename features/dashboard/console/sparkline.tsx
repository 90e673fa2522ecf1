interface SparklineProps {
  readonly values: readonly number[]
}

const WIDTH = 100
const HEIGHT = 28
const EDGE = 1.5

/** Trend of a number. Decorative: the number is shown beside it. */
export function Sparkline({ values }: SparklineProps) {
  const maximum = Math.max(...values, 0)
  if (values.length < 2 || maximum === 0) return <svg aria-hidden className="h-7 w-full" />
  const step = WIDTH / (values.length - 1)
  const heightOf = (value: number) => HEIGHT - EDGE - (value / maximum) * (HEIGHT - 2 * EDGE)
  const points = values.map((value, index) => `${index * step},${heightOf(value)}`).join(' ')
  return (
    <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-7 w-full">
      <polyline
        points={points}
        vectorEffect="non-scaling-stroke"
        className="fill-none stroke-series-1 stroke-[1.5]"
      />
    </svg>
  )
}

export type Labels = Readonly<Record<string, string | number>>

interface MetricFamily {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  lines(): Iterable<string>
}

/**
 * The metrics of this process in the text format of Prometheus.
 * Source: prometheus.io/docs/instrumenting/exposition_formats
 */
export interface MetricsRegistry {
  /** `read` returns the current count for each combination of labels. Label values must come from small closed sets. */
  counter(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void
  gauge(name: string, help: string, read: () => number): void
  histogram(name: string, help: string, read: () => Iterable<readonly [Labels, Histogram]>): void
  render(): string
}

/** `commonLabels` are added to every line. */
export function createMetricsRegistry(commonLabels: Labels = {}): MetricsRegistry {
  const families = new Map<string, MetricFamily>()
  const textOf = (labels: Labels) => labelText({ ...labels, ...commonLabels })
  return {
    counter(name, help, read) {
      const lines = () => [...read()].map(([labels, value]) => lineOf(name, textOf(labels), value))
      families.set(name, { help, type: 'counter', lines })
    },
    gauge(name, help, read) {
      families.set(name, { help, type: 'gauge', lines: () => [lineOf(name, textOf({}), read())] })
    },
    histogram(name, help, read) {
      const lines = () =>
        [...read()].map(([labels, histogram]) => histogramLines(name, textOf(labels), histogram))
      families.set(name, { help, type: 'histogram', lines })
    },
    render: () => [...families].map(([name, family]) => renderFamily(name, family)).join(''),
  }
}

/** Counts values by bucket. `bounds` are ascending upper bounds; values above the last have a bucket of their own. */
export class Histogram {
  readonly bounds: readonly number[]
  /** Not cumulative. The last count is of values above every bound. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let bucket = 0
    for (const bound of this.bounds) {
      if (value <= bound) break
      bucket += 1
    }
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += value
  }
}

const lineOf = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`

/**
 * Empty for a histogram without values. The labels are rendered once for all buckets: a page has more than ten thousand
 * lines.
 */
function histogramLines(name: string, labels: string, { bounds, counts, sum }: Histogram): string {
  const prefix = labels === '' ? '' : `${labels},`
  let count = 0
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0
    return lineOf(`${name}_bucket`, `${prefix}le="${le}"`, count)
  })
  if (count === 0) return ''
  return [...buckets, lineOf(`${name}_sum`, labels, sum), lineOf(`${name}_count`, labels, count)].join('')
}

const renderFamily = (name: string, { help, type, lines }: MetricFamily): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${[...lines()].join('')}`

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(String(value))}"`)
    .join(',')

const escapeLabel = (value: string): string =>
  value.replace(/[\\"\n]/g, char => (char === '\n' ? '\\n' : `\\${char}`))

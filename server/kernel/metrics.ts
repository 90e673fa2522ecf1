import type { Histogram } from './histogram.ts'

export type Labels = Readonly<Record<string, string | number>>

interface Series {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The lines' names beside the series' own, their labels and values. */
  read(): Iterable<readonly [suffix: string, Labels, number]>
}

/** What this process counts, in the text format of Prometheus. Source: prometheus.io/docs/instrumenting/exposition_formats */
export interface Metrics {
  /** `read` gives what was counted so far, for each combination of labels. Their values must come from small closed sets. */
  counter(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void
  gauge(name: string, help: string, read: () => number): void
  histogram(name: string, help: string, read: () => Iterable<readonly [Labels, Histogram]>): void
  render(): string
}

/** `common` stands in every line. */
export function openMetrics(common: Labels = {}): Metrics {
  const series = new Map<string, Series>()
  return {
    counter(name, help, read) {
      const lines = () => [...read()].map(([labels, value]) => ['', labels, value] as const)
      series.set(name, { help, type: 'counter', read: lines })
    },
    gauge(name, help, read) {
      series.set(name, { help, type: 'gauge', read: () => [['', {}, read()]] })
    },
    histogram(name, help, read) {
      const lines = () => [...read()].flatMap(([labels, histogram]) => linesOf(labels, histogram))
      series.set(name, { help, type: 'histogram', read: lines })
    },
    render: () => [...series].map(([name, one]) => renderSeries({ name, common }, one)).join(''),
  }
}

function linesOf(labels: Labels, { bounds, counts, sum }: Histogram) {
  let count = 0
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0
    return ['_bucket', { ...labels, le }, count] as const
  })
  return [...buckets, ['_sum', labels, sum] as const, ['_count', labels, count] as const]
}

function renderSeries(
  { name, common }: { readonly name: string; readonly common: Labels },
  { help, type, read }: Series,
): string {
  const lines = [...read()].map(
    ([suffix, labels, value]) => `${name}${suffix}${labelText({ ...labels, ...common })} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, sign => (sign === '\n' ? '\\n' : `\\${sign}`))

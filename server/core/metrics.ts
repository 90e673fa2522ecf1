import type { Histogram } from './histogram.ts'

export type Labels = Readonly<Record<string, string | number>>

interface Series {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  lines(): Iterable<string>
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
  const textOf = (labels: Labels) => labelText({ ...labels, ...common })
  return {
    counter(name, help, read) {
      const lines = () => [...read()].map(([labels, value]) => lineOf(name, textOf(labels), value))
      series.set(name, { help, type: 'counter', lines })
    },
    gauge(name, help, read) {
      series.set(name, { help, type: 'gauge', lines: () => [lineOf(name, textOf({}), read())] })
    },
    histogram(name, help, read) {
      const lines = () => [...read()].map(([labels, counted]) => linesOf(name, textOf(labels), counted))
      series.set(name, { help, type: 'histogram', lines })
    },
    render: () => [...series].map(([name, one]) => renderSeries(name, one)).join(''),
  }
}

const lineOf = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`

/** None where nothing was counted. The labels are made text once for all of them: a page has ten thousand lines and more. */
function linesOf(name: string, labels: string, { bounds, counts, sum }: Histogram): string {
  const before = labels === '' ? '' : `${labels},`
  let count = 0
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0
    return lineOf(`${name}_bucket`, `${before}le="${le}"`, count)
  })
  if (count === 0) return ''
  return [...buckets, lineOf(`${name}_sum`, labels, sum), lineOf(`${name}_count`, labels, count)].join('')
}

const renderSeries = (name: string, { help, type, lines }: Series): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${[...lines()].join('')}`

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',')

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, sign => (sign === '\n' ? '\\n' : `\\${sign}`))

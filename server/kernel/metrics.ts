type Labels = Readonly<Record<string, string | number>>

interface Series {
  readonly help: string
  readonly type: 'counter' | 'gauge'
  read(): Iterable<readonly [Labels, number]>
}

/** Counters and gauges of this process, in the text format of Prometheus. Source: prometheus.io/docs/instrumenting/exposition_formats */
export interface Metrics {
  /** `read` gives what was counted so far, for each combination of labels. Their values must come from small closed sets. */
  counter(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void
  gauge(name: string, help: string, read: () => number): void
  render(): string
}

export function openMetrics(): Metrics {
  const series = new Map<string, Series>()
  return {
    counter(name, help, read) {
      series.set(name, { help, type: 'counter', read })
    },
    gauge(name, help, read) {
      series.set(name, { help, type: 'gauge', read: () => [[{}, read()]] })
    },
    render: () => [...series].map(([name, one]) => renderSeries(name, one)).join(''),
  }
}

function renderSeries(name: string, { help, type, read }: Series): string {
  const lines = [...read()].map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, sign => (sign === '\n' ? '\\n' : `\\${sign}`))

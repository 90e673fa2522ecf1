type Labels = Readonly<Record<string, string | number>>

interface Series {
  readonly help: string
  readonly type: 'counter' | 'gauge'
  /** Label text to value. */
  read(): Iterable<readonly [string, number]>
}

/** Counters and gauges of this process, in the text format of Prometheus. Source: prometheus.io/docs/instrumenting/exposition_formats */
export interface Metrics {
  /** Label values must come from small closed sets: each combination is kept for ever. */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void
  gauge(name: string, help: string, read: () => number): void
  render(): string
}

export function openMetrics(): Metrics {
  const series = new Map<string, Series>()
  return {
    counter(name, help) {
      const values = new Map<string, number>()
      series.set(name, { help, type: 'counter', read: () => values })
      return (labels = {}, by = 1) => {
        const key = labelText(labels)
        values.set(key, (values.get(key) ?? 0) + by)
      }
    },
    gauge(name, help, read) {
      series.set(name, { help, type: 'gauge', read: () => [['', read()]] })
    },
    render: () => [...series].map(([name, one]) => renderSeries(name, one)).join(''),
  }
}

function renderSeries(name: string, { help, type, read }: Series): string {
  const lines = [...read()].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, sign => (sign === '\n' ? '\\n' : `\\${sign}`))

/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?<labels>.*)\})? (?<value>[-+0-9.eE]+|NaN|[-+]Inf)$/
const TYPE = /^# TYPE (\S+) (counter|gauge|histogram)$/g
const LABEL = /(?<name>[a-zA-Z_][a-zA-Z0-9_]*)="(?<value>(?:[^"\\]|\\[\\"n])*)"(?:,|$)/y

/** Parses the text format strictly. Throws for anything that Prometheus would reject. */
export function readExposition(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no line break')
  const lines = text.split('\n').slice(0, -1)
  const types = lines.flatMap(line =>
    [...line.matchAll(TYPE)].map(([, name = '', type = '']) => [name, type] as const),
  )
  const typeOf = new Map(types)
  if (typeOf.size < types.length) throw new Error('a name has two types')
  const samples = lines.filter(line => !/^# (TYPE|HELP) /.test(line)).map(readSample)
  for (const { name } of samples) if (!hasType(name, typeOf)) throw new Error(`${name} has no type before it`)
  return samples
}

const hasType = (name: string, typeOf: ReadonlyMap<string, string>): boolean => {
  const type = typeOf.get(name.replace(/_(bucket|sum|count)$/, ''))
  return typeOf.has(name) ? typeOf.get(name) !== 'histogram' : type === 'histogram'
}

function readSample(line: string): Sample {
  const { name, labels = '', value } = LINE.exec(line)?.groups ?? {}
  if (!name || !value) throw new Error(`expected a sample, found ${JSON.stringify(line)}`)
  return { name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) }
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const { name, value } = LABEL.exec(text)?.groups ?? {}
    if (!name || value === undefined) throw new Error(`the labels ${text} cannot be parsed`)
    if (name in labels) throw new Error(`the label ${name} occurs twice`)
    labels[name] = value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
  }
  return labels
}

import type { TraceSpan } from '../core/trace-span.ts'

/** What all spans of this process have in common. */
export interface TracedProgram {
  readonly name: string
  readonly version: string
  /** This process among those of the service. */
  readonly instance: string
}

/** Source: opentelemetry.io/docs/specs/otlp, its JSON form. */
const KIND = { internal: 1, server: 2, client: 3 } as const
const STATUS_ERROR = 2

/** One span, ready to stand in a request. */
export function writeSpan(span: TraceSpan): string {
  const { traceId, spanId, parentId, name, kind, startedMs, endedMs, attributes, isError } = span
  return JSON.stringify({
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: KIND[kind],
    startTimeUnixNano: nanoseconds(startedMs),
    endTimeUnixNano: nanoseconds(endedMs),
    attributes: writeAttributes(attributes),
    ...(isError && { status: { code: STATUS_ERROR } }),
  })
}

/** The body of a request that delivers written spans. */
export function writeRequest({ name, version, instance }: TracedProgram, spans: readonly string[]): string {
  const resource = { 'service.name': name, 'service.version': version, 'service.instance.id': instance }
  const head = JSON.stringify({ attributes: writeAttributes(resource) })
  const scope = JSON.stringify({ name: 'tollgate', version })
  return `{"resourceSpans":[{"resource":${head},"scopeSpans":[{"scope":${scope},"spans":[${spans.join(',')}]}]}]}`
}

/** Whole microseconds fit a number exactly, nanoseconds do not. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const writeAttributes = (attributes: TraceSpan['attributes']) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: writeValue(value) }],
  )

const writeValue = (value: string | number) => {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

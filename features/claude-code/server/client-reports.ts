import type { Labels, MetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { asObject, isObject } from '#server/provider-kit/json.ts'

const POINTS_MAX = 2000
/** No client uses more in the minute of one report, so more is a mistake that would spoil the counter. */
const VALUE_MAX = 1e9
const DELTA_TEMPORALITY = 1
const OTHER = 'other'
const TOKENS_METRIC = 'claude_code.token.usage'
const COST_METRIC = 'claude_code.cost.usage'
const TOKEN_TYPES: ReadonlySet<string> = new Set(['input', 'output', 'cacheRead', 'cacheCreation'])
const SERIES_MAX = 1000

type Result = 'counted' | 'dropped'

/**
 * Usage that clients report by OpenTelemetry, as counters. The figures are the clients' own and charge nobody.
 * Source: code.claude.com/docs/en/monitoring-usage.
 */
export class ClientReports {
  private readonly totals = new Map<string, { readonly name: string; readonly labels: Labels; sum: number }>()
  private readonly reports: Record<Result, number> = { counted: 0, dropped: 0 }

  constructor(metrics: MetricsRegistry) {
    metrics.counter('tollgate_client_reports_total', 'OpenTelemetry reports of clients by result.', () =>
      Object.entries(this.reports).map(([result, count]) => [{ result }, count]),
    )
    metrics.counter('tollgate_client_tokens_total', 'Tokens that clients report.', () =>
      this.read(TOKENS_METRIC),
    )
    metrics.counter('tollgate_client_cost_dollars_total', 'Costs that clients report.', () =>
      this.read(COST_METRIC),
    )
  }

  /** Counts a report that is not read: logs, traces, other encodings, or too many reports. */
  drop(): void {
    this.reports.dropped += 1
  }

  /** Counts the token and cost metrics of a report in OTLP's JSON. Models that the caller cannot use are one label. */
  add(body: unknown, models: ReadonlySet<string>): void {
    this.reports.counted += 1
    for (const { name, attributes, value } of readPoints(body)) {
      const model = attributes.get('model') ?? ''
      const labels: Labels = { model: models.has(model) ? model : OTHER }
      const type = attributes.get('type') ?? ''
      if (name === COST_METRIC) this.count(name, labels, value)
      else if (TOKEN_TYPES.has(type)) this.count(name, { ...labels, type }, value)
    }
  }

  private count(name: string, labels: Labels, value: number): void {
    const key = JSON.stringify([name, labels])
    const total = this.totals.get(key)
    if (total) total.sum += value
    else if (this.totals.size < SERIES_MAX) this.totals.set(key, { name, labels, sum: value })
  }

  private read(family: string): (readonly [Labels, number])[] {
    return [...this.totals.values()]
      .filter(({ name }) => name === family)
      .map(({ labels, sum }) => [labels, sum] as const)
  }
}

interface Point {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly value: number
}

/** The points of the metrics that are counted. A total since the start would be counted again with each report. */
function readPoints(body: unknown): readonly Point[] {
  return objects(asObject(body).resourceMetrics)
    .flatMap(resource => objects(resource.scopeMetrics))
    .flatMap(scope => objects(scope.metrics))
    .flatMap(({ name, sum }) => {
      const { aggregationTemporality: temporality, dataPoints } = asObject(sum)
      const isCounted = (name === TOKENS_METRIC || name === COST_METRIC) && temporality === DELTA_TEMPORALITY
      return isCounted ? objects(dataPoints).map(point => ({ name, point })) : []
    })
    .slice(0, POINTS_MAX)
    .flatMap(({ name, point }) => {
      const value = Number(point.asDouble ?? point.asInt)
      const isPlausible = value >= 0 && value <= VALUE_MAX
      return isPlausible ? [{ name, attributes: readAttributes(point.attributes), value }] : []
    })
}

const readAttributes = (value: unknown): ReadonlyMap<string, string> =>
  new Map(
    objects(value).flatMap(({ key, value: attribute }) => {
      const text = asObject(attribute).stringValue
      return typeof key === 'string' && typeof text === 'string' ? [[key, text] as const] : []
    }),
  )

const objects = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : [])

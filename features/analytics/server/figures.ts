import type { AnalyticsMeasure } from '#contract/enums.ts'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import type { AnalyticsSums } from '#server/db/engine/analytics-tables.ts'
import { SUM_COLUMNS, TOKEN_COLUMNS } from '#server/db/usage/totals.ts'
import type {
  AnalyticsFigures,
  AnalyticsReport,
  OwnAnalyticsFigures,
  OwnAnalyticsReport,
} from '../contract.ts'
import type { Percentiles, RankColumn } from './queries/groups.ts'

const ADMIN_COLUMNS: ReadonlySet<string> = new Set(['cost_nanos', 'costed_quota'])

const marginOf = ({ costed_quota, cost_nanos }: AnalyticsSums): number =>
  costed_quota * NANOS_PER_UNIT - cost_nanos

/** The figures of a group, for administrators. */
export function toFigures(
  sums: Readonly<AnalyticsSums>,
  percentiles: Percentiles | undefined,
): AnalyticsFigures {
  return {
    ...sums,
    margin_nanos: marginOf(sums),
    ...(percentiles && {
      first_token_p50: percentiles.firstTokenP50,
      first_token_p95: percentiles.firstTokenP95,
      duration_p50: percentiles.durationP50,
      duration_p95: percentiles.durationP95,
    }),
  }
}

/** The report without cost and margin, for users. */
export function toOwnReport(report: AnalyticsReport, isOrganization: boolean): OwnAnalyticsReport {
  return {
    ...report,
    is_organization: isOrganization,
    total: withoutCost(report.total),
    previous_total: report.previous_total && withoutCost(report.previous_total),
    groups: report.groups.map(group => ({
      ...group,
      figures: withoutCost(group.figures),
      previous: group.previous && withoutCost(group.previous),
    })),
  }
}

function withoutCost(figures: AnalyticsFigures): OwnAnalyticsFigures {
  const { cost_nanos: _, costed_quota: __, margin_nanos: ___, ...own } = figures
  return own
}

export const isPercentile = (measure: AnalyticsMeasure): boolean => /_p\d+$/.test(measure)

/** Groups of percentiles are ordered by their requests. */
export function rankOf(measure: AnalyticsMeasure): RankColumn {
  if (measure === 'revenue') return 'quota'
  if (measure === 'cost') return 'cost_nanos'
  if (measure === 'margin' || measure === 'tokens' || measure === 'audio_tokens') return measure
  return SUM_COLUMNS.find(column => column === measure && !ADMIN_COLUMNS.has(column)) ?? 'requests'
}

/** The measure of sums; amounts in billionths of a dollar. */
export function measureOf(sums: Readonly<AnalyticsSums>, measure: AnalyticsMeasure): number {
  if (measure === 'revenue') return sums.quota * NANOS_PER_UNIT
  if (measure === 'cost') return sums.cost_nanos
  if (measure === 'margin') return marginOf(sums)
  if (measure === 'audio_tokens') return sums.audio_input_tokens + sums.audio_output_tokens
  if (measure === 'tokens') return TOKEN_COLUMNS.reduce((sum, name) => sum + sums[name], 0)
  const column = SUM_COLUMNS.find(name => name === measure)
  return column === undefined ? 0 : sums[column]
}

export function percentileOf(percentiles: Percentiles | undefined, measure: AnalyticsMeasure): number | null {
  if (!percentiles) return null
  if (measure === 'first_token_p50') return percentiles.firstTokenP50
  if (measure === 'first_token_p95') return percentiles.firstTokenP95
  return measure === 'duration_p50' ? percentiles.durationP50 : percentiles.durationP95
}

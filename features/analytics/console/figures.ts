import { formatNumber } from '#console/app/format/format.tsx'
import type { Language } from '#console/ui/text/text.ts'
import type { AnalyticsDimension, AnalyticsMeasure } from '#contract/enums.ts'
import { type AnalyticsFigures, type OwnAnalyticsFigures, TOKEN_FIGURES } from '../contract.ts'
import type { AnalyticsText } from './text.ts'

export const NANOS_PER_UNIT = 2000

type Figures = AnalyticsFigures | OwnAnalyticsFigures

/** Whether the cost of any of the requests is known, which only administrators see. */
const isCostKnown = (figures: Figures): figures is AnalyticsFigures =>
  'costed_quota' in figures && (figures.costed_quota !== 0 || figures.cost_nanos !== 0)

/** The measure of figures: a number, billionths of a dollar or milliseconds; null where it is unknown. */
export function measureOf(figures: Figures, measure: AnalyticsMeasure): number | null {
  if (measure === 'revenue') return figures.quota * NANOS_PER_UNIT
  if (measure === 'cost') return isCostKnown(figures) ? figures.cost_nanos : null
  if (measure === 'margin') return isCostKnown(figures) ? figures.margin_nanos : null
  if (measure === 'tokens') return TOKEN_FIGURES.reduce((sum, name) => sum + figures[name], 0)
  if (measure === 'audio_tokens') return figures.audio_input_tokens + figures.audio_output_tokens
  return figures[measure] ?? null
}

export const isMoney = (measure: AnalyticsMeasure): boolean =>
  measure === 'revenue' || measure === 'cost' || measure === 'margin'

export const isPercentile = (measure: AnalyticsMeasure): boolean => /_p\d+$/.test(measure)

const SECOND_MS = 1000
const MINUTE_MS = 60_000

/** `640 ms`, `4.2 s`, `2.5 min`. */
export function formatDuration(ms: number, language: Language): string {
  const [size, unit] =
    ms < SECOND_MS ? [ms, 'ms'] : ms < MINUTE_MS ? [ms / SECOND_MS, 's'] : [ms / MINUTE_MS, 'min']
  return `${formatNumber(Number(size.toPrecision(3)), language)} ${unit}`
}

const FILTERED_BY_ID: ReadonlySet<AnalyticsDimension> = new Set([
  'channel',
  'organization',
  'member',
  'project',
])
const NAMED: ReadonlySet<AnalyticsDimension> = new Set(['user', 'token', ...FILTERED_BY_ID])

/** Whether filters have the id of a value, whose name is not unique. */
export const hasId = (dimension: AnalyticsDimension): boolean => FILTERED_BY_ID.has(dimension)

/** What the requests have in common that have no value. */
const WITHOUT: Readonly<Partial<Record<AnalyticsDimension, Parameters<AnalyticsText>[0]>>> = {
  token: 'playground',
  channel: 'noChannel',
  error: 'noError',
  region: 'noRegion',
  organization: 'noOrganization',
  member: 'noMember',
  project: 'noProject',
  plan: 'noPlan',
  tag: 'noTag',
}

/** The name of a value without a name of its own. */
export function labelOf(
  dimension: AnalyticsDimension,
  { value, name }: { readonly value: string; readonly name: string },
  t: AnalyticsText,
): string {
  const without = WITHOUT[dimension]
  if (value === '' || (value === '0' && without)) return t(without ?? 'unknown')
  return NAMED.has(dimension) ? name || `#${value}` : value
}

/** Users' charges are the operator's revenue. */
export const measureName = (measure: AnalyticsMeasure, isAdmin: boolean, t: AnalyticsText): string =>
  t(measure === 'revenue' && !isAdmin ? 'spent' : measure)

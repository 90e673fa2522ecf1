import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, ScrollText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { hasScreen } from '#console/app/router/screens.ts'
import { classes } from '#console/ui/class-names.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import {
  ANALYTICS_DIMENSIONS,
  type AnalyticsDimension,
  type AnalyticsMeasure,
  LOG_TYPE,
} from '#contract/enums.ts'
import type { Analytics } from './analytics.ts'
import { hasId, isPercentile, labelOf, measureName, measureOf } from './figures.ts'
import { type Report, reportQuery } from './queries.ts'
import { type Section, sectionsOf } from './sections.ts'
import { useAnalyticsText } from './text.ts'

type Group = Report['groups'][number]

const CELL = 'px-3 py-1.5 whitespace-nowrap'
const NUMBER = `${CELL} text-right tabular`
const PERCENT = 100

interface GroupTableProps {
  readonly analytics: Analytics
  readonly report: Report
}

interface Sort {
  readonly measure: AnalyticsMeasure
  readonly isAscending: boolean
}

/** The groups of a report with all their sums. A value filters; the last cell opens the log behind the row. */
export function GroupTable({ analytics, report }: GroupTableProps) {
  const t = useAnalyticsText()
  const { measure, isAdmin, search } = analytics
  const [sort, setSort] = useState<Sort>()
  const columns = columnsOf(measure, isAdmin)
  const isCompared = search.compare !== '' && !isPercentile(measure)
  const dimensions = dimensionsOf(analytics)
  const sections = useSections(analytics, report, sort)
  return (
    <section
      aria-label={t('groups')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
      tabIndex={0}
      className="min-w-0 rounded-card border border-line bg-surface"
    >
      <div className="relative overflow-x-auto">
        <table className="w-full text-small">
          <thead className="bg-sunken text-caption text-muted">
            <tr>
              {dimensions.map(dimension => (
                <th key={dimension} scope="col" className={classes(CELL, 'text-left font-medium')}>
                  {dimension === 'tag' ? t('tagOf', { key: analytics.tagKey }) : t(dimension)}
                </th>
              ))}
              {columns.map(column => (
                <SortHeader key={column} column={column} sort={sort} onSort={setSort}>
                  {measureName(column, isAdmin, t)}
                </SortHeader>
              ))}
              {isCompared && (
                <th scope="col" className={classes(NUMBER, 'font-medium')}>
                  {t('change')}
                </th>
              )}
              <th scope="col" className={CELL}>
                <span className="sr-only">{t('openLog')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sections.flatMap(({ sum, rows }) =>
              [...(sum ? [sum] : []), ...rows].map(group => (
                <GroupRow
                  key={`${group.value}\n${group === sum ? '' : group.second_value}\n${group === sum}`}
                  group={group}
                  isSum={group === sum}
                  analytics={analytics}
                  report={report}
                  columns={columns}
                  isCompared={isCompared}
                />
              )),
            )}
          </tbody>
          <tfoot className="border-t border-line-strong font-medium">
            <tr>
              <th scope="row" colSpan={dimensions.length} className={classes(CELL, 'text-left font-medium')}>
                {t('total')}
              </th>
              {columns.map(column => (
                <Figure key={column} analytics={analytics} figures={report.total} column={column} />
              ))}
              {isCompared && (
                <Change
                  current={measureOf(report.total, measure)}
                  previous={report.previous_total && measureOf(report.previous_total, measure)}
                />
              )}
              <td />
            </tr>
          </tfoot>
        </table>
      </div>
      {report.has_more && (
        <p className="border-t border-line px-3 py-2 text-caption text-muted">
          {t('more', { count: report.groups.length })}
        </p>
      )}
    </section>
  )
}

/** The chosen measure first, then the usual ones. */
function columnsOf(measure: AnalyticsMeasure, isAdmin: boolean): readonly AnalyticsMeasure[] {
  const percentiles: readonly AnalyticsMeasure[] = isPercentile(measure)
    ? ['first_token_p50', 'first_token_p95', 'duration_p50', 'duration_p95']
    : []
  const usual: readonly AnalyticsMeasure[] = [
    'requests',
    'errors',
    'revenue',
    ...(isAdmin ? (['cost', 'margin'] as const) : []),
    'tokens',
  ]
  return [...new Set([measure, ...percentiles, ...usual])]
}

const dimensionsOf = ({
  first,
  second,
}: Pick<Analytics, 'first' | 'second'>): readonly AnalyticsDimension[] =>
  second === '' || second === first ? [first] : [first, second]

/** The groups of a report; of two dimensions, below the sums of the first. */
function useSections(
  analytics: Analytics,
  report: Report,
  sort: Sort | undefined,
): ReadonlyArray<Section<Group>> {
  const { request, measure } = analytics
  const hasSums = dimensionsOf(analytics).length > 1
  const query = { ...request.query, second: '' }
  const { data } = useQuery({ ...reportQuery({ ...request, query }), enabled: hasSums })
  const { measure: by, isAscending } = sort ?? { measure, isAscending: false }
  const sign = isAscending ? 1 : -1
  const figureOf = (group: Group) => measureOf(group.figures, by) ?? Number.NEGATIVE_INFINITY
  const compare = (a: Group, b: Group) => sign * (figureOf(a) - figureOf(b))
  if (hasSums) return sectionsOf<Group>(report.groups, data?.groups ?? [], compare)
  return [{ sum: undefined, rows: sort ? report.groups.toSorted(compare) : report.groups }]
}

interface SortHeaderProps {
  readonly column: AnalyticsMeasure
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
  readonly children: ReactNode
}

function SortHeader({ column, sort, onSort, children }: SortHeaderProps) {
  const isSorted = sort?.measure === column
  const Icon = sort?.isAscending ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (sort.isAscending ? 'ascending' : 'descending') : 'none'}
      className={classes(NUMBER, 'font-medium')}
    >
      <button
        type="button"
        onClick={() => onSort({ measure: column, isAscending: isSorted && !sort.isAscending })}
        className="inline-flex items-center gap-1 rounded-control touch-target hover:text-fg"
      >
        {isSorted && <Icon size={12} aria-hidden />}
        {children}
      </button>
    </th>
  )
}

interface GroupRowProps extends GroupTableProps {
  readonly group: Group
  /** The sum of all rows with the value of the first dimension. */
  readonly isSum: boolean
  readonly columns: readonly AnalyticsMeasure[]
  readonly isCompared: boolean
}

function GroupRow({ group, isSum, analytics, report, columns, isCompared }: GroupRowProps) {
  const t = useAnalyticsText()
  const { first, second, measure } = analytics
  const hasSums = dimensionsOf(analytics).length > 1
  const secondValue = { value: group.second_value, name: group.second_name }
  return (
    <tr className={classes('border-t border-line hover:bg-hover', isSum && 'bg-sunken font-medium')}>
      <th
        scope="row"
        className={classes(CELL, 'text-left', !isSum && 'font-normal', hasSums && !isSum && 'text-muted')}
      >
        <ValueCell analytics={analytics} dimension={first} of={group} />
      </th>
      {hasSums && second !== '' && (
        <td className={CELL}>
          {isSum ? t('all') : <ValueCell analytics={analytics} dimension={second} of={secondValue} />}
        </td>
      )}
      {columns.map(column => (
        <Figure key={column} analytics={analytics} figures={group.figures} column={column} />
      ))}
      {isCompared && (
        <Change
          current={measureOf(group.figures, measure)}
          previous={group.previous && measureOf(group.previous, measure)}
        />
      )}
      <td className={classes(CELL, 'w-0')}>
        <LogLink analytics={isSum ? { ...analytics, second: '' } : analytics} report={report} group={group} />
      </td>
    </tr>
  )
}

interface ValueCellProps {
  readonly analytics: Analytics
  readonly dimension: AnalyticsDimension
  readonly of: { readonly value: string; readonly name: string }
}

/** The name of a value, which filters where it can be named in a filter. */
function ValueCell({ analytics: { set, tagKey }, dimension, of }: ValueCellProps) {
  const t = useAnalyticsText()
  const label = labelOf(dimension, of, t)
  const filter = filterText(dimension, of, tagKey)
  const className = 'block max-w-64 truncate text-left'
  if (filter === '') return <span className={classes(className, 'text-muted')}>{label}</span>
  return (
    <button
      type="button"
      title={t('filterBy', { name: label })}
      onClick={() => set({ [dimension]: filter })}
      className={classes(className, 'rounded-control touch-target hover:text-accent hover:underline')}
    >
      {label}
    </button>
  )
}

/** The value as filters of analytics and log name it; empty where they cannot. */
function filterText(
  dimension: AnalyticsDimension,
  { value, name }: { readonly value: string; readonly name: string },
  tagKey: string,
): string {
  if (dimension === 'tag') return value && `${tagKey}=${value}`
  if (hasId(dimension)) return value === '0' && dimension === 'channel' ? '' : value
  return dimension === 'user' || dimension === 'token' ? name : value
}

interface FigureProps {
  readonly analytics: Analytics
  readonly figures: Report['total']
  readonly column: AnalyticsMeasure
}

function Figure({ analytics: { format }, figures, column }: FigureProps) {
  const value = measureOf(figures, column)
  return <td className={NUMBER}>{value === null ? '–' : format(value, column)}</td>
}

interface ChangeProps {
  readonly current: number | null
  readonly previous: number | null
}

function Change({ current, previous }: ChangeProps) {
  const language = useLanguage()
  if (current === null || previous === null || previous === 0)
    return <td className={classes(NUMBER, 'text-muted')}>–</td>
  const percent = ((current - previous) / Math.abs(previous)) * PERCENT
  const size = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(Math.abs(percent))
  return <td className={NUMBER}>{`${percent > 0 ? '↑ ' : percent < 0 ? '↓ ' : ''}${size}%`}</td>
}

interface LogLinkProps extends GroupTableProps {
  readonly group: Group
}

/** What the log filters by: rows of other dimensions have no link of their own. */
const LOG_PARAMS: ReadonlySet<AnalyticsDimension> = new Set([
  'model',
  'user',
  'channel',
  'token',
  'group',
  'error',
  'tag',
])

/** Opens the log entries behind a row. */
function LogLink({ analytics, report, group }: LogLinkProps) {
  const t = useAnalyticsText()
  const search = logSearch(analytics, report, group)
  if (!search || !hasScreen('/log')) return null
  return (
    <Link
      to="/log"
      search={search}
      aria-label={t('openLog')}
      title={t('openLog')}
      className="inline-flex rounded-control text-muted touch-target hover:text-accent"
    >
      <ScrollText size={14} aria-hidden />
    </Link>
  )
}

/** The same filters in the log; undefined where it cannot express them. */
function logSearch({ search, first, second, tagKey }: Analytics, report: Report, group: Group) {
  if (ANALYTICS_DIMENSIONS.some(name => !LOG_PARAMS.has(name) && search[name] !== '')) return undefined
  const { model, user, channel, token, error, tag } = search
  const params: Record<string, string> = { model, user, channel, token, group: search.group, error, tag }
  const values: readonly (ValueCellProps['of'] & { dimension: AnalyticsDimension })[] = [
    { dimension: first, value: group.value, name: group.name },
    ...(dimensionsOf({ first, second }).length === 1 || second === ''
      ? []
      : [{ dimension: second, value: group.second_value, name: group.second_name }]),
  ]
  for (const { dimension, ...value } of values) {
    const filter = filterText(dimension, value, tagKey)
    if (!LOG_PARAMS.has(dimension)) return undefined
    if (filter !== '') params[dimension] = filter
    else if (dimension === 'error') params.type = String(LOG_TYPE.consumption)
    else return undefined
  }
  return { ...params, from: String(report.start_timestamp), to: String(report.end_timestamp - 1) }
}

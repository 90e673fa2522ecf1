import { LOG_TYPE } from '#contract/enums.ts'
import { amountCell } from '#server/api/csv.ts'
import { type BothLanguages, type Language, sameInBoth } from '#server/core/language.ts'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import type { LogEntry } from '../contract/logs.ts'
import type { LogRow } from './queries/log-reads.ts'
import { type LogAudience, tagsText, toLogView } from './view.ts'

export type CsvCell = string | number | boolean

export interface CsvLines {
  readonly head: readonly CsvCell[]
  readonly cellsOf: (row: LogRow) => readonly CsvCell[]
}

export interface FileLayout {
  readonly layout: 'raw' | 'plain'
  /** Zone of the times of a plain file; empty for UTC. */
  readonly time_zone: string
}

const TYPE_NAMES: ReadonlyMap<number, BothLanguages> = new Map<number, BothLanguages>([
  [LOG_TYPE.topUp, { zh: '充值', en: 'Top-up' }],
  [LOG_TYPE.consumption, { zh: '消费', en: 'Usage' }],
  [LOG_TYPE.management, { zh: '管理', en: 'Management' }],
  [LOG_TYPE.system, { zh: '系统', en: 'System' }],
  [LOG_TYPE.failure, { zh: '失败', en: 'Failed' }],
  [LOG_TYPE.rejection, { zh: '拒绝', en: 'Rejected' }],
])

interface Column {
  readonly head: BothLanguages
  readonly cell: (entry: LogEntry, language: Language) => CsvCell
  /** Empty in the rows of users. */
  readonly isForAdmins?: boolean
}

const COLUMNS: readonly Column[] = [
  {
    head: { zh: '类型', en: 'Type' },
    cell: ({ type }, language) => (TYPE_NAMES.get(type) ?? sameInBoth(String(type)))[language],
  },
  { head: { zh: '用户', en: 'User' }, cell: ({ username }) => username, isForAdmins: true },
  { head: { zh: '令牌', en: 'Token' }, cell: ({ token_name }) => token_name },
  { head: { zh: '分组', en: 'Group' }, cell: ({ group }) => group },
  { head: { zh: '模型', en: 'Model' }, cell: ({ model_name }) => model_name },
  { head: { zh: '输入 Token', en: 'Input tokens' }, cell: ({ prompt_tokens }) => prompt_tokens },
  { head: { zh: '输出 Token', en: 'Output tokens' }, cell: ({ completion_tokens }) => completion_tokens },
  { head: { zh: '费用（美元）', en: 'Cost (USD)' }, cell: ({ quota }) => amountCell(quota * NANOS_PER_UNIT) },
  { head: { zh: '用时（秒）', en: 'Duration (s)' }, cell: ({ use_time }) => use_time },
  { head: { zh: '渠道', en: 'Channel' }, cell: ({ channel_name }) => channel_name, isForAdmins: true },
  { head: { zh: '说明', en: 'Details' }, cell: ({ content }) => content },
  { head: { zh: '标签', en: 'Tags' }, cell: entry => tagsText(entry) },
  { head: { zh: '请求 ID', en: 'Request ID' }, cell: ({ request_id }) => request_id },
]

/** Lines for people: words instead of numbers, dollars instead of units, and times of the zone, such as `2026-11-30 09:05:00`. */
export function plainLines(audience: LogAudience, { time_zone: timeZone }: FileLayout): CsvLines {
  const { viewer, language } = audience
  const zone = timeZone || 'UTC'
  // The Swedish format is that of ISO 8601, in any zone.
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const columns = COLUMNS.filter(({ isForAdmins }) => viewer === 'admin' || !isForAdmins)
  const heading = { zh: '时间', en: 'Time' }[language]
  return {
    head: [`${heading} (${zone})`, ...columns.map(({ head }) => head[language])],
    cellsOf(row) {
      const entry = toLogView(row, audience)
      return [time.format(entry.created_at * 1000), ...columns.map(({ cell }) => cell(entry, language))]
    },
  }
}

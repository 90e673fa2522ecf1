import type { ApiContext } from '#server/api/context.ts'
import { csvCell, csvHeaders } from '#server/api/csv.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nextTurn } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { findNames } from '#server/db/logs/log-names.ts'
import { FOCUS_DAYS_MAX, type FocusPeriod } from '../contract.ts'
import { listDay } from './day-rows.ts'
import { type FocusNames, toFocusRow } from './focus-row.ts'
import { type ChargedUse, hasTags } from './queries.ts'

const DAY_SECONDS = 86_400
const MS_PER_SECOND = 1000
/** Formatting a row takes some 20 µs, and streams wait meanwhile. */
const ROWS_PER_TURN = 50
/** A response that has begun cannot say that others come first, so it waits for its turn. */
const DAY_WAIT_MS_MAX = 10 * 60_000

const focusError = apiErrors('focus', {
  wrong_period: { zh: '结束时间必须晚于开始时间', en: 'the end of the period must be after its start' },
  period_too_long: {
    zh: `时间跨度不能超过 ${FOCUS_DAYS_MAX} 天`,
    en: `the period cannot exceed ${FOCUS_DAYS_MAX} days`,
  },
})

/** The end of the year 9999, the last that ISO dates write with four digits. */
const LAST_SECOND = 253_402_300_800

/** The whole days of UTC that a period touches. Throws for one that is reversed or too long. */
export function toDays({ start_timestamp, end_timestamp }: FocusPeriod): TimeRange {
  const end = Math.min(end_timestamp || nowSeconds() + 1, LAST_SECOND)
  const last = new Date((end - 1) * MS_PER_SECOND)
  const start = start_timestamp || Date.UTC(last.getUTCFullYear(), last.getUTCMonth()) / MS_PER_SECOND
  if (end <= start) throw focusError('wrong_period')
  const from = Math.floor(start / DAY_SECONDS) * DAY_SECONDS
  const until = Math.ceil(end / DAY_SECONDS) * DAY_SECONDS
  if (until - from > FOCUS_DAYS_MAX * DAY_SECONDS) throw focusError('period_too_long')
  return { from, until }
}

interface FocusFile {
  readonly query: FocusPeriod
  /** Undefined: of all users, with providers, which users do not see. */
  readonly userId: number | undefined
}

type FocusExportDeps = Pick<ApiContext, 'readers' | 'caller' | 'signal' | 'registry' | 'settings'>

/** Streams the days as CSV, the first one first. Its days take turns with the queries of other callers. */
export function exportFocusFile(
  { readers, caller, signal, registry, settings }: FocusExportDeps,
  { query, userId }: FocusFile,
): Response {
  const days = toDays(query)
  const encoder = new TextEncoder()
  const reader = readers.forCaller({ key: `export by ${caller.id}`, signal, waitMs: DAY_WAIT_MS_MAX })
  const common = {
    installation: settings.current().values.SystemName || 'Tollgate',
    providerOf: (type: number | null) => (type === null ? undefined : registry.byType(type)?.name),
  }
  const chunks = streamDays(reader, { days, userId, common })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void chunks.return(),
  })
  const name = `focus-${new Date(days.from * MS_PER_SECOND).toISOString().slice(0, 10)}.csv`
  return new Response(body, { headers: csvHeaders(name) })
}

interface StreamInput {
  readonly days: TimeRange
  readonly userId: number | undefined
  readonly common: Pick<FocusNames, 'installation' | 'providerOf'>
}

const NOTHING: ChargedUse = {
  ...{ userId: 0, tokenId: 0, provider: null, model: '' },
  ...{ tags: '', quota: 0, requests: 0, tokens: 0 },
}

async function* streamDays(
  db: Database,
  { days, userId, common }: StreamInput,
): AsyncGenerator<string, void> {
  const none = { ...common, users: new Map(), tokens: new Map() }
  // No mark at the beginning: the file is for programs.
  yield toLine(Object.keys(toFocusRow(NOTHING, days.from, none)))
  const options = { hasTags: await hasTags(db) }
  for (let day = days.from; day < days.until; day += DAY_SECONDS) {
    const range = { from: day, until: day + DAY_SECONDS }
    const uses = await listDay(db, { range, userId, showsProviders: userId === undefined }, options)
    if (uses.length > 0) yield await formatDay(uses, day, { ...common, ...(await findAllNames(db, uses)) })
  }
}

const IDS_AT_ONCE = 500

async function findAllNames(
  db: Database,
  uses: readonly ChargedUse[],
): Promise<Pick<FocusNames, 'users' | 'tokens'>> {
  const namesOf = async (table: 'users' | 'tokens', ids: readonly number[]) => {
    const names = new Map<number, string>()
    const distinct = [...new Set(ids)].filter(id => id > 0)
    for (let from = 0; from < distinct.length; from += IDS_AT_ONCE)
      for (const [id, name] of await findNames(db, table, distinct.slice(from, from + IDS_AT_ONCE)))
        names.set(id, name)
    return names
  }
  return {
    users: await namesOf(
      'users',
      uses.map(({ userId }) => userId),
    ),
    tokens: await namesOf(
      'tokens',
      uses.map(({ tokenId }) => tokenId),
    ),
  }
}

/** Lets relayed requests take their turns in between. */
async function formatDay(uses: readonly ChargedUse[], day: number, names: FocusNames): Promise<string> {
  let text = ''
  for (const [index, use] of uses.entries()) {
    text += toLine(Object.values(toFocusRow(use, day, names)))
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn()
  }
  return text
}

const toLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

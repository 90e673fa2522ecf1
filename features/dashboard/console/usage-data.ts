import type { Series, Slot } from '#console/ui/data/chart/series.ts'
import { colourOf, OTHER_COLOUR } from '#console/ui/data/series-colours.ts'
import type { Language } from '#console/ui/text/text.ts'
import type { UsageRow } from '../contract.ts'
import type { Period } from './queries.ts'
import type { Measure, Step } from './search-params.ts'

export type UsageSums = Readonly<Record<Measure, number>>

export const sumUsage = (rows: readonly UsageRow[]): UsageSums =>
  rows.reduce(
    (sum, row) => ({
      quota: sum.quota + row.quota,
      count: sum.count + row.count,
      tokens: sum.tokens + row.token_used,
    }),
    { quota: 0, count: 0, tokens: 0 },
  )

const measureOf = (row: UsageRow, measure: Measure): number =>
  measure === 'tokens' ? row.token_used : row[measure]

export interface ModelTotal {
  readonly model: string
  readonly value: number
}

/** The usage of each model, largest first. */
export function rankModels(rows: readonly UsageRow[], measure: Measure): readonly ModelTotal[] {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(row.model_name, (sums.get(row.model_name) ?? 0) + measureOf(row, measure))
  return [...sums]
    .map(([model, value]) => ({ model, value }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
}

/** The number of models that a chart distinguishes. */
export const MODELS_SHOWN = 8

/** The id of the series that combines all smaller models. */
export const OTHER = ''

/** One series for each of the largest models, and one for all others. */
export function toSeries(ranked: readonly ModelTotal[], otherName: string): readonly Series[] {
  const largest = ranked
    .slice(0, MODELS_SHOWN)
    .map(({ model }) => ({ id: model, name: model, ...colourOf(model) }))
  if (ranked.length <= MODELS_SHOWN) return largest
  return [...largest, { id: OTHER, name: otherName, ...OTHER_COLOUR }]
}

const SLOTS_MAX = 2000

export interface SlotOptions {
  readonly step: Step
  readonly measure: Measure
  /** Weeks start on Monday in Chinese and on Sunday in English. */
  readonly language: Language
}

/**
 * One slot for each hour, day or week of the period, in order, including slots without usage. Models outside of
 * `seriesIds` count towards `OTHER`.
 */
export function toSlots(
  rows: readonly UsageRow[],
  { start, end }: Period,
  { step, measure, language }: SlotOptions,
  seriesIds: ReadonlySet<string>,
): Slot[] {
  const sums = new Map<number, Record<string, number>>()
  for (const row of rows) {
    const key = slotStart(step, row.created_at, language)
    const id = seriesIds.has(row.model_name) ? row.model_name : OTHER
    const values = sums.get(key) ?? {}
    values[id] = (values[id] ?? 0) + measureOf(row, measure)
    sums.set(key, values)
  }
  const slots: Slot[] = []
  let key = slotStart(step, start, language)
  while (key <= end && slots.length < SLOTS_MAX) {
    slots.push({ key, label: slotLabel(step, key), values: sums.get(key) ?? {} })
    key = nextSlotStart(step, key)
  }
  return slots
}

/** The last second of a slot. */
export const slotEnd = (slot: Slot, step: Step): number => nextSlotStart(step, slot.key) - 1

const HOUR = 3600
const MONDAY = 1
const SUNDAY = 0

/** The start of the hour, or of the local day or week, that contains the given time. */
function slotStart(step: Step, unixSeconds: number, language: Language): number {
  if (step === 'hour') return unixSeconds - (unixSeconds % HOUR)
  const at = new Date(unixSeconds * 1000)
  const weekStart = language === 'zh' ? MONDAY : SUNDAY
  const daysBack = step === 'day' ? 0 : (at.getDay() - weekStart + 7) % 7
  return toUnixSeconds(new Date(at.getFullYear(), at.getMonth(), at.getDate() - daysBack))
}

function nextSlotStart(step: Step, start: number): number {
  if (step === 'hour') return start + HOUR
  // Calendar arithmetic, because a local day has 23 or 25 hours when the clocks change.
  const at = new Date(start * 1000)
  return toUnixSeconds(new Date(at.getFullYear(), at.getMonth(), at.getDate() + (step === 'day' ? 1 : 7)))
}

const toUnixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const two = (value: number): string => String(value).padStart(2, '0')

function slotLabel(step: Step, start: number): string {
  const at = new Date(start * 1000)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return step === 'hour' ? `${date} ${two(at.getHours())}:${two(at.getMinutes())}` : date
}

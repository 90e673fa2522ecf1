import type { UsageRow } from '#contract/billing/usage.ts'
import { type Series, type Slot, seriesColours } from '../../ui/data/chart/series.ts'
import type { Language } from '../../ui/text/text.ts'
import type { Period, Sums } from './dashboard.ts'
import type { Measure, Step } from './search-params.ts'

const HOUR = 3600
const MODELS_SHOWN = 8
const SLOTS_MAX = 2000
const MONDAY = 1
const SUNDAY = 0
export const OTHER = ''

export const NO_USAGE: Sums = { quota: 0, count: 0, tokens: 0 }

const measureOf = (row: UsageRow, measure: Measure): number =>
  measure === 'tokens' ? row.token_used : row[measure]

export const sumUsage = (rows: readonly UsageRow[]): Sums =>
  rows.reduce(
    (sum, row) => ({
      quota: sum.quota + row.quota,
      count: sum.count + row.count,
      tokens: sum.tokens + row.token_used,
    }),
    NO_USAGE,
  )

/** The local hour, midnight or first day of the week that a moment lies in. */
function slotStart(step: Step, unixSeconds: number, language: Language): number {
  if (step === 'hour') return unixSeconds - (unixSeconds % HOUR)
  const at = new Date(unixSeconds * 1000)
  const first = language === 'zh' ? MONDAY : SUNDAY
  const back = step === 'day' ? 0 : (at.getDay() - first + 7) % 7
  return unixSecondsOf(new Date(at.getFullYear(), at.getMonth(), at.getDate() - back))
}

function nextSlotStart(step: Step, start: number): number {
  if (step === 'hour') return start + HOUR
  const at = new Date(start * 1000)
  return unixSecondsOf(new Date(at.getFullYear(), at.getMonth(), at.getDate() + (step === 'day' ? 1 : 7)))
}

const unixSecondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

/** How usage over time is cut and counted. */
export interface SlotOptions {
  readonly step: Step
  readonly measure: Measure
  readonly language: Language
}

/** Every stretch of the period in order, with its usage by series; a stretch without usage is there too. */
export function toSlots(
  rows: readonly UsageRow[],
  { start, end }: Period,
  cut: SlotOptions,
  ids: ReadonlySet<string>,
): Slot[] {
  const { step, measure, language } = cut
  const sums = new Map<number, Record<string, number>>()
  for (const row of rows) {
    const key = slotStart(step, row.created_at, language)
    const id = ids.has(row.model_name) ? row.model_name : OTHER
    const values = sums.get(key) ?? {}
    values[id] = (values[id] ?? 0) + measureOf(row, measure)
    sums.set(key, values)
  }
  const slots: Slot[] = []
  for (let at = slotStart(step, start, language); at <= end && slots.length < SLOTS_MAX; at = nextSlotStart(step, at))
    slots.push({ key: at, label: slotLabel(step, at), values: sums.get(at) ?? {} })
  return slots
}

/** The last moment of a slot. */
export const slotEnd = (slot: Slot, step: Step): number => nextSlotStart(step, slot.key) - 1

const two = (value: number): string => String(value).padStart(2, '0')

function slotLabel(step: Step, start: number): string {
  const at = new Date(start * 1000)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return step === 'hour' ? `${date} ${two(at.getHours())}:00` : date
}

export interface ModelTotal {
  readonly model: string
  readonly value: number
}

/** Models by what they used, most first. */
export function rankModels(rows: readonly UsageRow[], measure: Measure): readonly ModelTotal[] {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(row.model_name, (sums.get(row.model_name) ?? 0) + measureOf(row, measure))
  return [...sums]
    .map(([model, value]) => ({ model, value }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
}

/** The largest eight, and the rest together. */
export function toSeries(ranked: readonly ModelTotal[], otherName: string): readonly Series[] {
  const shown = ranked
    .slice(0, MODELS_SHOWN)
    .map(({ model }, index) => ({ id: model, name: model, ...seriesColours(index) }))
  if (ranked.length <= MODELS_SHOWN) return shown
  return [...shown, { id: OTHER, name: otherName, ...seriesColours(Number.POSITIVE_INFINITY) }]
}

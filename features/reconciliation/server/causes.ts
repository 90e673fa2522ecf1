import { NANOS_PER_UNIT } from '#server/core/money.ts'
import type { RECONCILIATION_CAUSES } from '../contract.ts'
import type { BillEntry } from './bills/read-bill.ts'
import {
  CENT_NANOS,
  type CostComparison,
  type ModelFigures,
  type ReconciledFigures,
  SHARE_MAX,
  toNanos,
} from './compare.ts'

type CauseCode = (typeof RECONCILIATION_CAUSES)[number]

/** Why the amounts may differ, with the figures that tell so. Which of them there are depends on the code. */
export interface Cause {
  readonly code: CauseCode
  readonly nanos?: number
  readonly count?: number
  readonly factor?: number
  /** Hours that local days of the bill begin before those of UTC. */
  readonly hours?: number
  /** Models, channels, days or lines of the bill, at most 10. */
  readonly names?: readonly string[]
}

/** Facts about requests without a known cost. */
export interface UnknownCosts {
  /** Units that were charged for them. */
  readonly unknownCostQuota: number
  /** Channels without purchase prices that served them. */
  readonly channelsWithoutPrices: readonly string[]
  /** Models of the requests through the other channels. */
  readonly modelsWithoutPrice: readonly string[]
}

/** Further facts about a comparison. */
export interface CauseFacts extends UnknownCosts {
  readonly comparison: CostComparison
  readonly entries: readonly BillEntry[]
  /** Rows of the files on days outside of the period, which were left out. */
  readonly excluded: { readonly rows: number; readonly nanos: number }
  /** Whether all amounts of the files are rounded to cents. */
  readonly isInCents: boolean
  /** Costs by the start of their hour in Unix seconds, from a day before the period to a day after it. */
  readonly hours: ReadonlyMap<number, number>
  /** Whether requests of the period are still to come or to be counted. */
  readonly isStillCounting: boolean
}

const NAMES_MAX = 10

/** Possible causes, the largest first. Empty where nothing differs and nothing is missing. */
export function findCauses(facts: CauseFacts): Cause[] {
  const { total, models, days } = facts.comparison
  const isMarked = [total, ...models, ...days].some(figures => figures.is_marked)
  return [
    ...unknownCosts(facts.comparison.total, facts),
    ...(isMarked ? [...trafficCauses(facts), ...priceFactor(models), ...timeZone(facts)] : []),
    ...missingDays(facts),
    ...excludedRows(facts),
    ...(isMarked ? itemsWithoutModel(models) : []),
    ...credits(facts.entries),
    ...rounding(facts),
    ...(facts.isStillCounting ? [{ code: 'still_counting' } as const] : []),
  ]
}

/** Further facts about a comparison with a balance. */
export interface BalanceFacts extends UnknownCosts {
  readonly total: ReconciledFigures
  /** Costs of the first and last minute or hour, parts of which are before or after the readings. */
  readonly edges: { readonly seconds: number; readonly nanos: number }
  readonly isStillCounting: boolean
}

/** Possible causes of a difference between balances and costs. */
export function findBalanceCauses({ total, edges, isStillCounting, ...unknown }: BalanceFacts): Cause[] {
  const difference = total.difference_nanos ?? 0
  const code = difference > 0 ? 'charged_more' : 'charged_less'
  return [
    ...unknownCosts(total, unknown),
    ...(total.is_marked ? [{ code, nanos: Math.abs(difference) } as const] : []),
    ...(edges.nanos > 0 && difference !== 0
      ? [{ code: 'edges', nanos: edges.nanos, count: edges.seconds } as const]
      : []),
    ...(isStillCounting ? [{ code: 'still_counting' } as const] : []),
  ]
}

function unknownCosts(
  total: ReconciledFigures,
  { unknownCostQuota, channelsWithoutPrices, modelsWithoutPrice }: UnknownCosts,
): Cause[] {
  if (total.unknown_cost_requests === 0) return []
  const named = (code: CauseCode, names: readonly string[]): Cause[] =>
    names.length === 0 ? [] : [{ code, count: names.length, names: names.slice(0, NAMES_MAX) }]
  return [
    {
      code: 'unknown_cost',
      count: total.unknown_cost_requests,
      nanos: unknownCostQuota * NANOS_PER_UNIT,
    },
    ...named('no_purchase_prices', channelsWithoutPrices),
    ...named('no_price', modelsWithoutPrice),
  ]
}

/** Models that only one side knows, and requests that only the provider counted. */
function trafficCauses({ comparison: { total, models } }: CauseFacts): Cause[] {
  const named = models.filter(({ model }) => model !== '')
  const unserved = named.filter(
    ({ requests, billed_nanos }) => requests === 0 && (billed_nanos ?? 0) > CENT_NANOS,
  )
  const unbilled = named.filter(
    ({ billed_nanos, billed_requests, computed_nanos }) =>
      billed_nanos === 0 && !billed_requests && computed_nanos > CENT_NANOS,
  )
  const more = (total.billed_requests ?? 0) - total.requests
  return [
    ...(unserved.length > 0 || more > SHARE_MAX * (total.billed_requests ?? 0)
      ? [
          {
            code: 'not_through_gateway' as const,
            count: Math.max(more, 0),
            nanos: sumOf(unserved, ({ billed_nanos }) => billed_nanos ?? 0),
            names: namesOf(unserved),
          },
        ]
      : []),
    ...(unbilled.length > 0
      ? [
          {
            code: 'not_billed' as const,
            nanos: sumOf(unbilled, ({ computed_nanos }) => computed_nanos),
            names: namesOf(unbilled),
          },
        ]
      : []),
  ]
}

const namesOf = (models: readonly ModelFigures[]): readonly string[] =>
  models.slice(0, NAMES_MAX).map(({ model }) => model)

const sumOf = <Item>(items: readonly Item[], read: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + read(item), 0)

/** Amounts below ten cents tell no factor. */
const FACTOR_NANOS_MIN = 10 * CENT_NANOS
const FACTOR_SPREAD_MAX = 1.01
const FACTOR_DIGITS = 4

/** All models differ by the same factor, as when the account pays other prices than the channel says. */
function priceFactor(models: readonly ModelFigures[]): Cause[] {
  const factors = models
    .filter(isComparable)
    .map(({ billed_nanos, computed_nanos }) => (billed_nanos ?? 0) / computed_nanos)
  const [least, most] = [Math.min(...factors), Math.max(...factors)]
  if (factors.length < 2 || least <= 0 || most / least > FACTOR_SPREAD_MAX) return []
  const factor = sumOf(factors, value => value) / factors.length
  if (Math.abs(factor - 1) <= SHARE_MAX) return []
  return [{ code: 'factor', factor: Number(factor.toFixed(FACTOR_DIGITS)) }]
}

const isComparable = (model: ModelFigures): boolean =>
  model.model !== '' &&
  model.unknown_cost_requests === 0 &&
  model.computed_nanos >= FACTOR_NANOS_MIN &&
  (model.billed_nanos ?? 0) >= FACTOR_NANOS_MIN

const HOUR_SECONDS = 3600
const DAY_HOURS = 24
const ZONES = Array.from({ length: 27 }, (_, index) => index - 12)
/** Another zone must explain three quarters of the daily differences. */
const UNEXPLAINED_MAX = 0.25

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000

/** Days of another time zone, in which the daily costs would match the bill. */
function timeZone({ comparison: { days }, hours }: CauseFacts): Cause[] {
  const billed = days.filter(({ billed_nanos }) => (billed_nanos ?? 0) !== 0)
  if (billed.length < 2) return []
  const distanceOf = (zone: number): number =>
    sumOf(billed, ({ date, billed_nanos }) => {
      const start = startOf(date) - zone * HOUR_SECONDS
      const ofDay = Array.from(
        { length: DAY_HOURS },
        (_, hour) => hours.get(start + hour * HOUR_SECONDS) ?? 0,
      )
      return Math.abs((billed_nanos ?? 0) - sumOf(ofDay, nanos => nanos))
    })
  const best = ZONES.reduce((least, zone) => (distanceOf(zone) < distanceOf(least) ? zone : least), 0)
  const distance = distanceOf(0)
  const isOff = distance > SHARE_MAX * sumOf(billed, ({ billed_nanos }) => Math.abs(billed_nanos ?? 0))
  if (!isOff || best === 0 || distanceOf(best) > UNEXPLAINED_MAX * distance) return []
  return [{ code: 'time_zone', hours: best }]
}

/** Days with costs of which the files say nothing. */
function missingDays({ comparison: { days }, entries }: CauseFacts): Cause[] {
  const billed = new Set(entries.map(({ day }) => day))
  const missing = days.filter(({ date, computed_nanos }) => !billed.has(date) && computed_nanos > CENT_NANOS)
  if (missing.length === 0) return []
  return [
    {
      code: 'days_missing',
      count: missing.length,
      nanos: sumOf(missing, ({ computed_nanos }) => computed_nanos),
      names: missing.slice(0, NAMES_MAX).map(({ date }) => date),
    },
  ]
}

const excludedRows = ({ excluded: { rows, nanos } }: CauseFacts): Cause[] =>
  rows === 0 ? [] : [{ code: 'rows_outside', count: rows, nanos }]

/** Only beside lines that name models: a bill without any is compared as a whole. */
function itemsWithoutModel(models: readonly ModelFigures[]): Cause[] {
  const other = models.find(({ model }) => model === '')
  const isOnly = !models.some(({ model, billed_nanos }) => model !== '' && billed_nanos !== null)
  if (!other?.billed_nanos || isOnly) return []
  return [{ code: 'items_without_model', nanos: other.billed_nanos, names: other.items.slice(0, NAMES_MAX) }]
}

function credits(entries: readonly BillEntry[]): Cause[] {
  const nanos = sumOf(entries, ({ credited }) => toNanos(credited))
  return nanos === 0 ? [] : [{ code: 'credits', nanos }]
}

/** Each row is rounded to a cent, and the difference is no larger than that allows. */
function rounding({ comparison: { total }, entries, isInCents }: CauseFacts): Cause[] {
  const rounded = entries.filter(({ dollars }) => dollars !== undefined)
  const bound = (sumOf(rounded, ({ rows }) => rows) * CENT_NANOS) / 2
  return isInCents && isWithin(total, bound) ? [{ code: 'rounding', nanos: bound }] : []
}

const isWithin = ({ difference_nanos }: ReconciledFigures, bound: number): boolean =>
  difference_nanos !== null && difference_nanos !== 0 && Math.abs(difference_nanos) <= bound

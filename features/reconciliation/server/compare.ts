import { memoize } from '#server/core/memoize.ts'
import { add, type Decimal, decimal, multiply, roundToQuota } from '#server/core/money.ts'
import type { BillEntry } from './bills/read-bill.ts'
import { billedName, catalogueName, keyWithoutVersion, modelKey, readModelName } from './model-names.ts'

/** Cost of one model on one day. */
export interface ComputedCost {
  /** UTC, `2026-11-27`. */
  readonly day: string
  /** As it was requested. */
  readonly model: string
  /** As it was sent to the provider. */
  readonly sentAs: string
  readonly requests: number
  readonly unknownCostRequests: number
  readonly costNanos: number
  readonly tokens: number
}

/** The provider's and the gateway's figures for the same requests. Null: not in the files. */
export interface ReconciledFigures {
  readonly billed_nanos: number | null
  readonly computed_nanos: number
  readonly difference_nanos: number | null
  readonly difference_percent: number | null
  readonly is_marked: boolean
  readonly requests: number
  readonly unknown_cost_requests: number
  readonly billed_requests: number | null
}

export interface ModelFigures extends ReconciledFigures {
  readonly model: string
  readonly requested_as: readonly string[]
  readonly items: readonly string[]
  readonly tokens: number
  readonly billed_tokens: number | null
}

export interface DayFigures extends ReconciledFigures {
  readonly date: string
}

export interface CostComparison {
  readonly total: ReconciledFigures
  readonly models: readonly ModelFigures[]
  readonly days: readonly DayFigures[]
}

const NANOS_PER_DOLLAR = decimal(1_000_000_000)
export const CENT_NANOS = 10_000_000
export const SHARE_MAX = 0.02
const PERCENT_DIGITS = 2
const ITEMS_MAX = 20
/** Lines that name no model. */
const OTHER = ''

/** Billionths of a dollar, rounded once. Throws a RangeError beyond nine million dollars. */
export const toNanos = (dollars: Decimal): number => roundToQuota(multiply(dollars, NANOS_PER_DOLLAR))

/**
 * Compares the entries of bills with the computed costs of the same period, by model and by day. The models of both are
 * matched by what their names have in common; lines of a bill that name no model are together under an empty name.
 */
export function compareCosts(entries: readonly BillEntry[], costs: readonly ComputedCost[]): CostComparison {
  const total = new Tally()
  const days = new Map<string, Tally>()
  const models = new Map<string, ModelTally>()
  const findBilled = memoize(billedModel, NAMES_MAX)
  for (const cost of costs) {
    const { key, name } = findBilled(cost.sentAs)
    const model = findOrAdd(models, key, () => new ModelTally())
    model.nameModel(name)
    if (cost.model !== cost.sentAs) model.requestedAs.add(cost.model)
    for (const tally of [total, findOrAdd(days, cost.day, () => new Tally()), model]) tally.addCost(cost)
  }
  const requested = new Set(models.keys())
  const readItem = memoize(itemModel, NAMES_MAX)
  for (const entry of entries) {
    const { key, name } = assign(entry, readItem(entry.item), requested)
    const model = findOrAdd(models, key, () => new ModelTally())
    if (key !== OTHER) model.nameModel(name)
    model.items.add(entry.item)
    for (const tally of [total, findOrAdd(days, entry.day, () => new Tally()), model]) tally.addEntry(entry)
  }
  const says = statementsOf(entries)
  const saysByModel = [...models].some(([key, { entries: count }]) => key !== OTHER && count > 0)
    ? says
    : NO_STATEMENTS
  return {
    total: total.figures(says),
    days: [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, tally]) => ({ date, ...tally.figures(says) })),
    models: [...models]
      .map(([key, tally]) => ({
        model: key === OTHER ? '' : (catalogueName(key) ?? tally.name),
        ...tally.modelFigures(key === OTHER ? says : saysByModel),
      }))
      .sort((a, b) => amountOf(b) - amountOf(a) || b.requests - a.requests || (a.model < b.model ? -1 : 1)),
  }
}

/** Compares an account's total charge, according to its balance, with the computed costs. */
export function compareCharged(charged: Decimal, costs: readonly ComputedCost[]): CostComparison {
  const { total, models, days } = compareCosts([], costs)
  return { models, days, total: { ...total, ...differenceOf(toNanos(charged), total.computed_nanos) } }
}

const amountOf = ({ billed_nanos, computed_nanos }: ReconciledFigures): number =>
  Math.max(Math.abs(billed_nanos ?? 0), computed_nanos)

interface Assignment {
  readonly key: string
  readonly name: string
}

/** Names recur by day. */
const NAMES_MAX = 5000

function billedModel(sentAs: string): Assignment {
  const name = billedName(sentAs)
  return { key: modelKey(name), name }
}

interface ItemModel extends Assignment {
  readonly keyWithoutVersion: string
  /** Whether the item is surely about a model. */
  readonly isSure: boolean
}

function itemModel(item: string): ItemModel {
  const { name, isSure } = readModelName(item)
  const key = modelKey(name)
  return {
    key,
    name,
    keyWithoutVersion: keyWithoutVersion(name),
    isSure: isSure || catalogueName(key) !== undefined,
  }
}

/** The model that an entry bills: one that was requested, or else one that its item surely names. */
function assign({ isModel }: BillEntry, item: ItemModel, requested: ReadonlySet<string>): Assignment {
  const found = [item.key, item.keyWithoutVersion].find(key => key !== OTHER && requested.has(key))
  if (found !== undefined) return { key: found, name: item.name }
  return isModel || item.isSure ? item : { key: OTHER, name: '' }
}

/** Which figures the files state. */
interface Statements {
  readonly hasAmounts: boolean
  readonly hasRequests: boolean
  readonly hasTokens: boolean
}

const NO_STATEMENTS: Statements = { hasAmounts: false, hasRequests: false, hasTokens: false }

function statementsOf(entries: readonly BillEntry[]): Statements {
  return {
    hasAmounts: entries.some(({ dollars }) => dollars !== undefined),
    hasRequests: entries.some(({ requests }) => requests !== undefined),
    hasTokens: entries.some(({ inputTokens, outputTokens }) => (inputTokens ?? outputTokens) !== undefined),
  }
}

const ZERO_DOLLARS: Decimal = { digits: 0n, scale: 0 }

/** Sums of both sides. */
class Tally {
  entries = 0
  protected tokens = 0
  protected billedTokens = 0
  private dollars = ZERO_DOLLARS
  private billedRequests = 0
  private requests = 0
  private unknownCostRequests = 0
  private costNanos = 0

  addCost(cost: ComputedCost): void {
    this.requests += cost.requests
    this.unknownCostRequests += cost.unknownCostRequests
    this.costNanos += cost.costNanos
    this.tokens += cost.tokens
  }

  addEntry({ dollars, requests = 0, inputTokens = 0, outputTokens = 0 }: BillEntry): void {
    this.entries += 1
    if (dollars) this.dollars = add(this.dollars, dollars)
    this.billedRequests += requests
    this.billedTokens += inputTokens + outputTokens
  }

  figures({ hasAmounts, hasRequests, hasTokens }: Statements): ReconciledFigures {
    const isOff = (theirs: number, ours: number) => Math.abs(theirs - ours) > SHARE_MAX * theirs
    const areCountsOff =
      (hasRequests && isOff(this.billedRequests, this.requests)) ||
      (!hasRequests && hasTokens && isOff(this.billedTokens, this.tokens))
    return {
      ...(hasAmounts ? differenceOf(toNanos(this.dollars), this.costNanos) : NO_AMOUNTS),
      ...(!hasAmounts && { is_marked: areCountsOff }),
      computed_nanos: this.costNanos,
      requests: this.requests,
      unknown_cost_requests: this.unknownCostRequests,
      billed_requests: hasRequests ? this.billedRequests : null,
    }
  }
}

type BilledFigures = Pick<
  ReconciledFigures,
  'billed_nanos' | 'difference_nanos' | 'difference_percent' | 'is_marked'
>

const NO_AMOUNTS: BilledFigures = {
  billed_nanos: null,
  difference_nanos: null,
  difference_percent: null,
  is_marked: false,
}

function differenceOf(billed: number, computed: number): BilledFigures {
  const difference = billed - computed
  const size = Math.abs(difference)
  return {
    billed_nanos: billed,
    difference_nanos: difference,
    difference_percent:
      billed === 0 ? null : Number(((100 * difference) / Math.abs(billed)).toFixed(PERCENT_DIGITS)),
    is_marked: size > CENT_NANOS && size > SHARE_MAX * Math.abs(billed),
  }
}

class ModelTally extends Tally {
  /** The shortest name that is known. */
  name = ''
  readonly requestedAs = new Set<string>()
  readonly items = new Set<string>()

  nameModel(name: string): void {
    if (this.name === '' || name.length < this.name.length) this.name = name
  }

  modelFigures(says: Statements): Omit<ModelFigures, 'model'> {
    return {
      ...this.figures(says),
      requested_as: [...this.requestedAs].sort().slice(0, ITEMS_MAX),
      items: [...this.items].filter(item => item !== '').slice(0, ITEMS_MAX),
      tokens: this.tokens,
      billed_tokens: says.hasTokens ? this.billedTokens : null,
    }
  }
}

function findOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}

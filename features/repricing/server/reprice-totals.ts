import { GatewayError } from '#server/core/errors.ts'
import { chargeAmount } from '#server/pricing/charge.ts'
import type { GroupPrice } from '#server/pricing/price.ts'
import type { PriceBook } from '#server/pricing/price-book.ts'
import type { ChargedRequest } from './queries.ts'
import { type KeptReason, readUsage } from './read-usage.ts'

/** Units before and after. */
export interface ChargeSums {
  requests: number
  before: number
  after: number
}

export interface NamedSums extends Readonly<ChargeSums> {
  readonly name: string
}

export interface UserSums extends Readonly<ChargeSums> {
  readonly id: number
  readonly username: string
  readonly is_above: boolean
}

export interface KeptSums {
  readonly reason: KeptReason
  readonly requests: number
  /** The charge that they keep. */
  readonly quota: number
}

/** Limits of the increase for one user: exceeding either is enough. 0: no limit. */
export interface RepriceLimits {
  /** By how many percent the user would have paid more. */
  readonly percent: number
  /** By how many units. */
  readonly quota: number
}

export interface RepriceTotals extends Readonly<ChargeSums> {
  readonly kept: readonly KeptSums[]
  readonly models: readonly NamedSums[]
  readonly groups: readonly NamedSums[]
  /** Users above the limit first, then by the largest difference. */
  readonly users: readonly Omit<UserSums, 'username'>[]
  readonly user_count: number
  readonly users_above: number
}

const REPRICE_ROWS_MAX = 200
/** Clients choose the dates of dated names. */
const NAMES_MAX = 20_000
const OTHER_NAMES = '…'

/** The sums of all requests, by key, as they pass between threads. */
export interface RepricedSums {
  readonly all: Readonly<ChargeSums>
  readonly kept: readonly KeptSums[]
  readonly models: readonly NamedSums[]
  readonly groups: readonly NamedSums[]
  readonly users: readonly (Readonly<ChargeSums> & { readonly id: number })[]
}

/** The rows to show. */
export function totalsOf({ all, kept, ...sums }: RepricedSums, limits: RepriceLimits): RepriceTotals {
  const users = sums.users.map(user => ({ ...user, is_above: isAbove(user, limits) }))
  const above = users.filter(user => user.is_above)
  return {
    ...all,
    kept,
    models: largest(sums.models),
    groups: largest(sums.groups),
    users: [...largest(above), ...largest(users.filter(user => !user.is_above))].slice(0, REPRICE_ROWS_MAX),
    user_count: users.length,
    users_above: above.length,
  }
}

/** Adds up requests at their charge and at other prices. */
export class RepriceSums {
  private readonly book: PriceBook
  private readonly all = noSums()
  private readonly kept = new Map<KeptReason, { requests: number; quota: number }>()
  private readonly models = new Map<string, ChargeSums>()
  private readonly groups = new Map<string, ChargeSums>()
  private readonly users = new Map<number, ChargeSums>()
  private readonly prices = new Map<string, Map<string, GroupPrice | KeptReason>>()

  constructor(book: PriceBook) {
    this.book = book
  }

  add(row: ChargedRequest): void {
    const before = Number(row.quota)
    const charge = this.charge(row)
    const after = typeof charge === 'number' ? charge : before
    if (typeof charge === 'string') this.keep(charge, before)
    addTo(this.all, before, after)
    addTo(find(this.models, row.model_name), before, after)
    addTo(find(this.groups, row.group), before, after)
    addTo(findUser(this.users, Number(row.user_id)), before, after)
  }

  /** The totals so far. */
  result(): RepricedSums {
    const named = (sums: ReadonlyMap<string, ChargeSums>) =>
      [...sums].map(([name, figures]) => ({ name, ...figures }))
    return {
      all: this.all,
      kept: [...this.kept].map(([reason, figures]) => ({ reason, ...figures })),
      models: named(this.models),
      groups: named(this.groups),
      users: [...this.users].map(([id, figures]) => ({ id, ...figures })),
    }
  }

  /** The charge at the other prices, or why it stays. */
  private charge({ receipt, model_name: model, group }: ChargedRequest): number | KeptReason {
    const usage = readUsage(receipt)
    if (usage === 'free') return 0
    if (typeof usage === 'string') return usage
    const price = this.findPrice(model, group)
    return typeof price === 'string' ? price : chargeAmount(price, usage)
  }

  private findPrice(model: string, group: string): GroupPrice | KeptReason {
    const known = this.prices.get(group)?.get(model)
    if (known !== undefined) return known
    const found = priceOrReason(this.book, model, group)
    const ofGroup = this.prices.get(group) ?? new Map<string, GroupPrice | KeptReason>()
    if (ofGroup.size >= NAMES_MAX) ofGroup.clear()
    this.prices.set(group, ofGroup.set(model, found))
    return found
  }

  private keep(reason: KeptReason, quota: number): void {
    const sums = this.kept.get(reason) ?? { requests: 0, quota: 0 }
    sums.requests += 1
    sums.quota += quota
    this.kept.set(reason, sums)
  }
}

function priceOrReason(book: PriceBook, model: string, group: string): GroupPrice | KeptReason {
  try {
    return book.get({ model, group })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.code === 'group_not_allowed' ? 'no_group' : 'no_price'
  }
}

function addTo(sums: ChargeSums, before: number, after: number): void {
  sums.requests += 1
  sums.before += before
  sums.after += after
}

const noSums = (): ChargeSums => ({ requests: 0, before: 0, after: 0 })

/** The sums of a name; those of all further names together when there are too many. */
function find(sums: Map<string, ChargeSums>, key: string): ChargeSums {
  const known = sums.get(key)
  if (known) return known
  const name = sums.size < NAMES_MAX ? key : OTHER_NAMES
  const added = sums.get(name) ?? noSums()
  sums.set(name, added)
  return added
}

function findUser(sums: Map<number, ChargeSums>, id: number): ChargeSums {
  const found = sums.get(id) ?? noSums()
  sums.set(id, found)
  return found
}

function isAbove({ before, after }: ChargeSums, { percent, quota }: RepriceLimits): boolean {
  const more = after - before
  if (more <= 0) return false
  // Where nothing was paid before, every percentage is exceeded.
  return (quota > 0 && more > quota) || (percent > 0 && more * 100 > before * percent)
}

const largest = <Row extends ChargeSums>(rows: readonly Row[]): Row[] =>
  rows
    .toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || b.before - a.before)
    .slice(0, REPRICE_ROWS_MAX)

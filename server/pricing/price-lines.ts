import { type Decimal, multiplyBy } from '../core/money.ts'
import { type BucketRates, PARENTS, TOKEN_BUCKETS } from './bucket-rates.ts'
import { formatDecimal } from './charge-line.ts'
import type { TokenBucket } from './list-price.ts'
import type { Price } from './price.ts'
import type { TierRates } from './service-tiers.ts'
import type { TokenRate } from './token-rates.ts'

/** Every price of a model by name: dollars per million tokens, per use, or a factor. */
type PriceLines = ReadonlyMap<string, number>

/** A price that differs. Undefined: there is none. */
export interface PriceDifference {
  /** `input`, `above_200000.output`, `batch.input`, `search.low`, `regions.us` … */
  readonly line: string
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Dollars per million tokens for a unit per token, and dollars for a unit. */
const MILLION_TOKENS_AT_UNIT = 2
const DOLLARS_PER_UNIT = 0.000_002

const NAMES: Readonly<Record<TokenBucket, string>> = {
  input: 'input',
  cachedInput: 'cached_input',
  cacheWrite: 'cache_write',
  cacheWriteHour: 'cache_write_1h',
  audioInput: 'audio_input',
  imageInput: 'image_input',
  output: 'output',
  reasoning: 'reasoning',
  audioOutput: 'audio_output',
}
const PARENT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  TOKEN_BUCKETS.flatMap(bucket => {
    const parent = PARENTS[bucket]
    return parent ? [[NAMES[bucket], NAMES[parent]]] : []
  }),
)

const exactly = (units: Decimal, factor: number): number => Number(formatDecimal(multiplyBy(units, factor)))

/** The name of a bucket in price lists and lines. */
export const lineOf = (bucket: TokenBucket): string => NAMES[bucket]

/** The prices of a model before the ratio of a group. None for a model without a price. */
export function priceLines(price: Price | undefined): PriceLines {
  const lines = new Map<string, number>()
  if (!price) return lines
  const { rate, extras } = price
  if (rate.kind === 'call') return lines.set('request', exactly(rate.amount, DOLLARS_PER_UNIT))
  addTokens(lines, rate)
  for (const [region, factor] of Object.entries(rate.regions)) lines.set(`regions.${region}`, factor)
  const { search, tool_calls = {}, images = [] } = extras?.prices ?? {}
  for (const size of ['low', 'medium', 'high'] as const) if (search) lines.set(`search.${size}`, search[size])
  for (const [tool, dollars] of Object.entries(tool_calls)) lines.set(`tool_calls.${tool}`, dollars)
  for (const { size = '', quality = '', price: dollars } of images)
    lines.set(['images', size, quality].filter(Boolean).join('.'), dollars)
  return lines
}

function addTokens(lines: Map<string, number>, rate: TokenRate): void {
  addTier(lines, '', rate)
  for (const [tier, rates] of rate.serviceTiers) addTier(lines, `${tier}.`, rates)
  if (rate.second) lines.set('second_input', exactly(rate.second, DOLLARS_PER_UNIT))
  if (rate.costs.images.isListed) lines.set('image', exactly(rate.costs.images.units, DOLLARS_PER_UNIT))
}

function addTier(lines: Map<string, number>, path: string, rates: TierRates): void {
  const add = (at: string, { costs }: BucketRates): void => {
    for (const bucket of TOKEN_BUCKETS)
      lines.set(`${at}${NAMES[bucket]}`, exactly(costs[bucket].units, MILLION_TOKENS_AT_UNIT))
  }
  add(path, rates)
  for (const long of rates.longPrompts) add(`${path}above_${long.above}.`, long)
}

/** What differs. A bucket that costs what its parent costs, before and after, is left out. */
export function comparePrices(from: PriceLines, to: PriceLines): readonly PriceDifference[] {
  const names = [...new Set([...to.keys(), ...from.keys()])]
  return names.flatMap(line => {
    const difference = { line, from: lookUp(from, line), to: lookUp(to, line) }
    if (difference.from === difference.to) return []
    const parent = parentOf(line)
    const isShared =
      parent !== undefined && difference.from === lookUp(from, parent) && difference.to === lookUp(to, parent)
    return isShared ? [] : [difference]
  })
}

/** A tier without a price of its own costs what the default one costs. */
function lookUp(lines: PriceLines, line: string): number | undefined {
  const own = lines.get(line)
  if (own !== undefined || /^(regions|search|tool_calls|images)\./.test(line)) return own
  return lines.get(line.slice(line.lastIndexOf('.') + 1))
}

function parentOf(line: string): string | undefined {
  const end = line.lastIndexOf('.') + 1
  const parent = PARENT_NAMES[line.slice(end)]
  return parent === undefined ? undefined : `${line.slice(0, end)}${parent}`
}

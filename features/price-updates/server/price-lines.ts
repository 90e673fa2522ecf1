import { type Decimal, formatDecimal, multiplyBy } from '#server/core/money.ts'
import type { TokenBucket } from '#server/core/usage.ts'
import { PARENTS, type Price, type Rates, TOKEN_BUCKETS } from '#server/pricing/price.ts'

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
  cachedAudio: 'cached_audio_input',
  cachedImage: 'cached_image_input',
  output: 'output',
  reasoning: 'reasoning',
  audioOutput: 'audio_output',
  imageOutput: 'image_output',
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
  if (price.call) return lines.set('request', exactly(price.call, DOLLARS_PER_UNIT))
  addTokens(lines, price)
  const { regions, tools } = price
  for (const [region, factor] of Object.entries(regions)) lines.set(`regions.${region}`, factor)
  for (const [size, units] of Object.entries(tools.search ?? {}))
    lines.set(`search.${size}`, exactly(units, DOLLARS_PER_UNIT))
  for (const [tool, units] of tools.calls) lines.set(`tool_calls.${tool}`, exactly(units, DOLLARS_PER_UNIT))
  for (const { size = '', quality = '', units } of tools.images)
    lines.set(['images', size, quality].filter(Boolean).join('.'), exactly(units, DOLLARS_PER_UNIT))
  return lines
}

function addTokens(lines: Map<string, number>, { base, tiers, second }: Price): void {
  addTier(lines, '', base)
  for (const [tier, rates] of tiers) addTier(lines, `${tier}.`, rates)
  if (second) lines.set('second_input', exactly(second, DOLLARS_PER_UNIT))
  const { images } = base.costs
  if (images.isListed) lines.set('image', exactly(images.units, DOLLARS_PER_UNIT))
}

function addTier(lines: Map<string, number>, path: string, rates: Rates): void {
  const add = (at: string, { costs }: Rates): void => {
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

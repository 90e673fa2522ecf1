import type { ExtraPrices } from '#contract/catalogue/price-list.ts'
import { ownEntry } from '../core/json/json.ts'
import { add, type Decimal, decimal, multiplyBy } from '../core/money.ts'
import { DEFAULT_IMAGE_MODEL, type ExtraUsage, NO_USAGE, type ToolImages, type Usage } from '../core/usage.ts'
import { type ChargeLine, formatDecimal, type PricedLines } from './charge-line.ts'

/** The prices of what is not counted in tokens. */
export interface ExtraRates {
  /** Units of a dollar for the group. */
  readonly dollar: Decimal
  readonly prices: ExtraPrices
  /** The model that a tool makes images with; undefined when it has no price. */
  readonly findImageModel: (model: string) => ImageModel | undefined
}

interface ImageModel {
  readonly images: ExtraPrices['images']
  /** What the usage costs with this model. */
  readonly charge: (usage: Usage) => PricedLines
}

const NOTHING: PricedLines = { sum: decimal(0), lines: [] }
const DEFAULT_CONTEXT = 'medium'

/** What searches, tools and the images of tools cost. What has no price is free, as it is at its provider. */
export function chargeExtras(usage: ExtraUsage, rates: ExtraRates): PricedLines {
  const bills = [chargeSearches(usage, rates)]
  for (const [name, count] of Object.entries(usage.toolCalls ?? {})) {
    const dollars = ownEntry(rates.prices.tool_calls ?? {}, name)
    if (dollars) bills.push(chargeItems({ bucket: 'toolCalls', name, count, dollars }, rates))
  }
  for (const images of usage.toolImages ?? []) bills.push(chargeToolImages(images, rates))
  return {
    sum: bills.reduce((sum, bill) => add(sum, bill.sum), NOTHING.sum),
    lines: bills.flatMap(({ lines }) => lines),
  }
}

function chargeSearches({ webSearches = 0, searchContext }: ExtraUsage, rates: ExtraRates): PricedLines {
  const { search } = rates.prices
  const dollars = search?.[searchContext ?? DEFAULT_CONTEXT]
  if (webSearches <= 0 || !dollars) return NOTHING
  const count = search?.per_prompt ? 1 : webSearches
  return chargeItems({ bucket: 'webSearches', count, dollars }, rates)
}

interface Items {
  readonly bucket: ChargeLine['bucket']
  readonly name?: string
  readonly count: number
  readonly dollars: number
}

function chargeItems({ bucket, name, count, dollars }: Items, { dollar }: ExtraRates): PricedLines {
  if (count <= 0) return NOTHING
  const each = multiplyBy(dollar, dollars)
  const sum = multiplyBy(each, count)
  const line = { bucket, tokens: count, ratio: 0, amount: formatDecimal(sum), each: formatDecimal(each) }
  return { sum, lines: [name === undefined ? line : { ...line, name }] }
}

/**
 * By the tokens that the image model used, where the provider tells them, else by number, size and quality. A model without a
 * price costs what the default one costs.
 */
function chargeToolImages(images: ToolImages, rates: ExtraRates): PricedLines {
  const { model, count, tokens } = images
  const imageModel = rates.findImageModel(model) ?? rates.findImageModel(DEFAULT_IMAGE_MODEL)
  if (!imageModel) return NOTHING
  if (tokens) return named(imageModel.charge({ ...NO_USAGE, ...tokens, images: count }), model)
  const dollars = findImagePrice(images, imageModel.images ?? [])
  return dollars === undefined
    ? named(imageModel.charge({ ...NO_USAGE, images: count }), model)
    : chargeItems({ bucket: 'toolImages', name: model, count, dollars }, rates)
}

/** `auto` says nothing. The dearest price that fits what is known. */
function findImagePrice(
  { size, quality }: ToolImages,
  prices: NonNullable<ExtraPrices['images']>,
): number | undefined {
  const fits = (requested: string | undefined, listed: string | undefined): boolean =>
    requested === undefined || requested === 'auto' || listed === undefined || requested === listed
  const exact = prices.filter(one => fits(size, one.size) && fits(quality, one.quality))
  const candidates = exact.length > 0 ? exact : prices
  return candidates.length === 0 ? undefined : Math.max(...candidates.map(({ price }) => price))
}

const TOOL_ITEMS: Partial<Record<ChargeLine['bucket'], ChargeLine['bucket']>> = {
  input: 'toolInput',
  imageInput: 'toolImageInput',
  output: 'toolOutput',
  images: 'toolImages',
  call: 'toolImages',
}

/** The lines of another model's bill. Their unit price takes the place of the ratio, which relates to that model. */
const named = ({ sum, lines }: PricedLines, name: string): PricedLines => ({
  sum,
  lines: lines.map(({ bucket, tokens, ratio, amount }) => {
    const count = tokens || ratio
    return { bucket: TOOL_ITEMS[bucket] ?? bucket, tokens: count, ratio: 0, amount, name }
  }),
})

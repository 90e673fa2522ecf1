import {
  add,
  type Decimal,
  decimal,
  formatDecimal,
  isZero,
  multiply,
  multiplyBy,
  NO_QUOTA,
  type Quota,
  quota,
  roundToQuota,
  toNumber,
} from '../core/money.ts'
import {
  completionTokens,
  DEFAULT_IMAGE_MODEL,
  type ExtraUsage,
  hasExtras,
  type ModelUsage,
  NO_USAGE,
  promptTokens,
  type TokenBucket,
  type ToolImages,
  type Usage,
} from '../core/usage.ts'
import {
  type GroupPrice,
  larger,
  type Price,
  ratesAt,
  regionFactor,
  roundRatio,
  TOKEN_BUCKETS,
  type ToolPrices,
} from './price.ts'

/** One line of a bill: tokens × ratio × unit price. `amount` is in units, an exact decimal as text. */
export interface ChargeLine {
  /** What the line is for. `tool…`: what a tool of the provider made with another model. */
  readonly bucket:
    | TokenBucket
    | 'call'
    | 'images'
    | 'seconds'
    | 'webSearches'
    | 'toolCalls'
    | 'toolImages'
    | 'toolInput'
    | 'toolImageInput'
    | 'toolOutput'
    | 'unpaid'
  /** How many of the item; 0 on the line of a call price. */
  readonly tokens: number
  /** The price of one item in input tokens; on the line of a call price the number of charged calls. */
  readonly ratio: number
  readonly amount: string
  /** The prompt has more tokens than this, which the provider charges at a higher price. */
  readonly above?: number
  /** The service tier and the region whose prices apply. */
  readonly tier?: string
  readonly region?: string
  /** Units of one item, where it has a price of its own instead of a ratio. */
  readonly each?: string
  /** Which tool or model. */
  readonly name?: string
}

export interface Charge {
  /** The exact sum rounded once, halves up; at least 1 when something priced was used. */
  readonly amount: Quota
  /** The sum of the lines before rounding, as text. */
  readonly exact: string
  readonly lines: readonly ChargeLine[]
}

/** Upper bounds of the usage of a request. */
export interface UsageCeiling {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly images?: number
  /** Uses of tools that the provider runs. */
  readonly extras?: ExtraUsage | undefined
}

/** Notes an item of a bill. `units`: its price before the factor of the group. Undefined where only the sum is needed. */
type AddLine =
  | ((item: Omit<ChargeLine, 'amount' | 'each'>, units: Decimal, each?: Decimal) => void)
  | undefined

const SMALLEST_CHARGE = quota(1)
const ZERO = decimal(0)
const IMAGE_BUCKET = ['images'] as const
const DEFAULT_CONTEXT = 'medium'

/**
 * The charge for the usage. A call price applies whatever was used, and once per generated image; it covers everything
 * that the provider did for the request.
 */
export function calculateCharge(price: GroupPrice, usage: Usage): Charge {
  const { factor } = price
  const lines: ChargeLine[] = []
  const sum = addUp(price, usage, (item, units, each) => {
    const amount = formatDecimal(multiply(units, factor))
    const { bucket, tokens, ratio, ...more } = item
    const priced = each ? { amount, each: formatDecimal(multiply(each, factor)) } : { amount }
    lines.push({ bucket, tokens, ratio, ...priced, ...more })
  })
  return { amount: lines.length === 0 ? NO_QUOTA : atLeastOne(price, sum), exact: formatDecimal(sum), lines }
}

/** The charge of someone who has only `paid`. */
export function cutCharge({ exact, lines }: Charge, paid: Quota): Charge {
  const unpaid = add(decimal(paid), multiplyBy(decimal(exact), -1))
  const line = { bucket: 'unpaid', tokens: 0, ratio: 0, amount: formatDecimal(unpaid) } as const
  return { amount: paid, exact: String(paid), lines: [...lines, line] }
}

/** The amount of `calculateCharge` without its lines, whose texts are most of its work. */
export function chargeAmount(price: GroupPrice, usage: Usage): Quota {
  const sum = addUp(price, usage)
  // Only the lines tell whether something was used that costs nothing.
  return isZero(sum) ? calculateCharge(price, usage).amount : atLeastOne(price, sum)
}

/** The exact sum of a charge. The factor of the group is multiplied last. */
export function addUp({ model, factor }: GroupPrice, usage: Usage, addLine?: AddLine): Decimal {
  const sum = addModel(model, usage, addLine)
  const tools = isZero(factor) && !model.tools.areSoldAlone ? undefined : model.tools
  const isToolUsed = !model.call && tools !== undefined && hasExtras(usage)
  return multiply(isToolUsed ? add(sum, addTools(model, usage, addLine)) : sum, factor)
}

/** What the tokens, images or calls of a model cost. */
function addModel(model: Price, usage: Usage, addLine: AddLine): Decimal {
  if (!model.call) return addTokens(model, usage, addLine)
  const ratio = usage.images || 1
  const units = multiplyBy(model.call, ratio)
  addLine?.({ bucket: 'call', tokens: 0, ratio }, units)
  return units
}

function addTokens(model: Price, usage: Usage, addLine: AddLine): Decimal {
  const chosen = chooseRates(model, usage)
  const { seconds = 0 } = usage
  let sum = ZERO
  for (const bucket of bucketsOf(usage)) {
    const tokens = usage[bucket]
    if (tokens <= 0) continue
    // Of sound that is priced by the second, `input` is our estimate.
    const second = bucket === 'input' && seconds > 0 ? model.second : undefined
    const units = second
      ? addItems({ bucket: 'seconds', tokens: seconds, ratio: 0 }, second, addLine)
      : addBucket({ bucket, tokens }, chosen, addLine)
    sum = add(sum, units)
  }
  return sum
}

function addBucket(
  { bucket, tokens }: { readonly bucket: TokenBucket | 'images'; readonly tokens: number },
  { rates, times, marks }: ReturnType<typeof chooseRates>,
  addLine: AddLine,
): Decimal {
  const { units: each, ratio } = rates.costs[bucket]
  const units = multiplyBy(times === undefined ? each : multiplyBy(each, times), tokens)
  addLine?.(
    { bucket, tokens, ratio: times === undefined ? ratio : roundRatio(ratio * times), ...marks },
    units,
  )
  return units
}

/** Images are priced by their number where no tokens are counted. */
const bucketsOf = (usage: Usage): readonly (TokenBucket | 'images')[] =>
  promptTokens(usage) + completionTokens(usage) === 0 ? IMAGE_BUCKET : TOKEN_BUCKETS

/** The rates of the tier, the region and the length of the prompt that were served, and what lines say of them. */
function chooseRates(model: Price, usage: Usage) {
  const { serviceTier, region } = usage
  const served = serviceTier === undefined ? undefined : model.tiers.get(serviceTier)
  const times = region === undefined ? undefined : regionFactor(model, region)
  const rates = ratesAt(served ?? model.base, promptTokens(usage))
  const marks = {
    ...(rates.above > 0 && { above: rates.above }),
    ...(served && serviceTier !== undefined && { tier: serviceTier }),
    ...(times !== undefined && region !== undefined && { region }),
  }
  return { rates, times, marks }
}

/** What searches, tools, the images of tools and other models cost. */
function addTools(model: Price, usage: ExtraUsage, addLine: AddLine): Decimal {
  const { tools } = model
  let sum = addSearches(tools, usage, addLine)
  for (const [name, count] of Object.entries(usage.toolCalls ?? {})) {
    const each = tools.calls.get(name)
    if (each && !isZero(each) && count > 0)
      sum = add(sum, addItems({ bucket: 'toolCalls', tokens: count, ratio: 0, name }, each, addLine))
  }
  for (const images of usage.toolImages ?? []) sum = add(sum, addToolImages(tools, images, addLine))
  for (const other of usage.otherModels ?? []) sum = add(sum, addOtherModel(model, other, addLine))
  return sum
}

function addSearches(
  { search, isSearchPerPrompt }: ToolPrices,
  { webSearches = 0, searchContext = DEFAULT_CONTEXT }: ExtraUsage,
  addLine: AddLine,
): Decimal {
  const each = search?.[searchContext]
  if (webSearches <= 0 || !each || isZero(each)) return ZERO
  const tokens = isSearchPerPrompt ? 1 : webSearches
  return addItems({ bucket: 'webSearches', tokens, ratio: 0 }, each, addLine)
}

function addItems(item: Omit<ChargeLine, 'amount' | 'each'>, each: Decimal, addLine: AddLine): Decimal {
  const units = multiplyBy(each, item.tokens)
  addLine?.(item, units, each)
  return units
}

/**
 * By the tokens that the image model used, where the provider tells them, else by number, size and quality. A model without a
 * price costs what the default one costs.
 */
function addToolImages({ findPrice }: ToolPrices, images: ToolImages, addLine: AddLine): Decimal {
  const { model: name, count, tokens } = images
  const model = findPrice(name) ?? findPrice(DEFAULT_IMAGE_MODEL)
  if (!model) return ZERO
  const each = tokens ? undefined : findImagePrice(images, model.tools.images)
  if (each)
    return count > 0 ? addItems({ bucket: 'toolImages', tokens: count, ratio: 0, name }, each, addLine) : ZERO
  return addModel(
    model,
    { ...NO_USAGE, ...toImageUsage(tokens), images: count },
    // The ratio of the line relates to that model, so the units of an item take its place.
    addLine &&
      (({ bucket, tokens: used, ratio }, units) =>
        addLine({ bucket: TOOL_ITEMS[bucket] ?? bucket, tokens: used || ratio, ratio: 0, name }, units)),
  )
}

/** A model without a price costs what the charged one does. */
function addOtherModel(charged: Price, { model: name, usage }: ModelUsage, addLine: AddLine): Decimal {
  const model = name === undefined ? undefined : charged.tools.findPrice(name)
  return addModel(
    model ?? charged,
    { ...NO_USAGE, ...usage },
    // As with images, the ratio relates to the other model.
    addLine &&
      ((item, units) =>
        addLine({ ...item, ...(model && { ratio: 0 }), ...(name !== undefined && { name }) }, units)),
  )
}

function toImageUsage(tokens: ToolImages['tokens']): Partial<Usage> {
  const { output: imageOutput = 0, textOutput: output = 0, ...input } = tokens ?? {}
  return { ...input, output, imageOutput }
}

const TOOL_ITEMS: Partial<Record<ChargeLine['bucket'], ChargeLine['bucket']>> = {
  input: 'toolInput',
  imageInput: 'toolImageInput',
  imageOutput: 'toolOutput',
  images: 'toolImages',
  call: 'toolImages',
}

/** `auto` says nothing. The dearest price that fits what is known. */
function findImagePrice({ size, quality }: ToolImages, prices: ToolPrices['images']): Decimal | undefined {
  const fits = (requested: string | undefined, listed: string | undefined): boolean =>
    requested === undefined || requested === 'auto' || listed === undefined || requested === listed
  const exact = prices.filter(one => fits(size, one.size) && fits(quality, one.quality))
  const candidates = exact.length > 0 ? exact : prices
  return candidates.length === 0 ? undefined : candidates.map(({ units }) => units).reduce(larger)
}

/** What costs something costs at least one unit. */
function atLeastOne({ isFree }: GroupPrice, sum: Decimal): Quota {
  if (isFree && isZero(sum)) return NO_QUOTA
  const rounded = roundToQuota(sum)
  return rounded > SMALLEST_CHARGE ? rounded : SMALLEST_CHARGE
}

/**
 * The maximum price of a request, which its charge never exceeds: each input token at the most expensive input ratio of
 * the model (cache writes and audio included), each output token at the most expensive output ratio, both for a prompt of
 * this length. Images count per call, or by the more expensive of their tokens and their number.
 */
export function holdAmount(price: GroupPrice, ceiling: UsageCeiling): Quota {
  return price.isFree && !ceiling.extras ? NO_QUOTA : atLeastOne(price, addCeiling(price, ceiling))
}

function addCeiling(
  { model, factor }: GroupPrice,
  { inputTokens, outputTokens, images = 0, extras }: UsageCeiling,
): Decimal {
  if (model.call) return multiply(multiplyBy(model.call, images || 1), factor)
  const { input, output } = ratesAt(model.base, inputTokens).highest
  const sum = add(multiplyBy(input, inputTokens), multiplyBy(output, outputTokens))
  const most = images > 0 ? larger(sum, multiplyBy(model.base.costs.images.units, images)) : sum
  return multiply(extras ? add(most, addTools(model, extras, undefined)) : most, factor)
}

/** The most output tokens, beside this input and these tools, that a hold of this amount covers. */
export function affordableOutputTokens(
  price: GroupPrice,
  amount: Quota,
  ceiling: Omit<UsageCeiling, 'outputTokens'>,
): number {
  const { model, factor, isFree } = price
  const { output } = ratesAt(model.base, ceiling.inputTokens).highest
  if (isFree || isZero(output)) return Number.POSITIVE_INFINITY
  const left = amount - toNumber(addCeiling(price, { ...ceiling, outputTokens: 0 }))
  const outputTokens = Math.floor(left / toNumber(multiply(output, factor)))
  // Holds are rounded to whole units, so the division may be one token too generous.
  return holdAmount(price, { ...ceiling, outputTokens }) > amount ? outputTokens - 1 : outputTokens
}

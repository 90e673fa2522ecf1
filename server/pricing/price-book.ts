import type { OwnPrices, PriceList } from '#contract/catalogue/price-list.ts'
import { sleepMs } from '../core/clock.ts'
import { GatewayError } from '../core/errors.ts'
import { modelFamily } from '../core/model-names.ts'
import {
  type Decimal,
  decimal,
  isZero,
  multiply,
  multiplyBy,
  toNumber,
  UNITS_PER_DOLLAR,
} from '../core/money.ts'
import { CONTAINER_GIGABYTES, mapBuckets, type TokenBucket } from '../core/usage.ts'
import {
  type BucketPrices,
  bucketPrices,
  callPrice,
  catalogueModels,
  familyOfDated,
  findModel,
  imagePrice,
  isPriced,
  listedPrices,
  outputLimit,
  secondPrice,
  tierPrices,
} from './catalogue.ts'
import {
  atFactor,
  type GroupPrice,
  PARENTS,
  type Price,
  type Rate,
  type Rates,
  roundRatio,
  type ToolPrices,
  toRates,
} from './price.ts'
import {
  findFigures,
  isRoundedForm,
  ownFigure,
  type PriceOptions,
  relativePrice,
  toModelRatio,
  toRatios,
} from './ratio-rules.ts'

/**
 * The prices of the options. A model is priced by `ModelPrice` (dollars per call), else by `ModelRatio` (units per input
 * token), else by its list price. A figure that is absent, or the rounded form of the list price, means the list price.
 */
export interface PriceBook {
  /** The price of a model for a group. Throws GatewayError model_price_missing or group_not_allowed. */
  get(query: { readonly model: string; readonly group: string }): GroupPrice
  /** Undefined for a model that has no price and therefore cannot be called. */
  find(model: string): Price | undefined
  /** The same for a model as its provider names it, which may add the name of the maker. */
  findServed(model: string): Price | undefined
  /** Whether the options have a price per call under this name. */
  hasCallPrice(name: string): boolean
  /** The price per call of the first of these names that has one in the options, else these dollars. */
  getForCall(query: {
    readonly names: readonly string[]
    readonly group: string
    readonly dollars: number
  }): GroupPrice
  /** Undefined for a group that does not exist. */
  groupRatio(group: string): number | undefined
}

/** Clients choose the dates of dated names. */
const MODELS_KEPT_MAX = 10_000

/**
 * Prices are compiled on first use and kept. A changed option is a new book. `findKnown`: the price lists of models that the
 * options leave out, by default the catalogue's.
 */
export function createPriceBook(
  options: PriceOptions,
  findKnown: (model: string) => OwnPrices | undefined = findModel,
): PriceBook {
  const lists = options.ModelPriceLists ?? {}
  const compiled = new Map<string, Price>()
  const find = (name: string): Price | undefined => {
    const known = compiled.get(name)
    if (known) return known
    const list = findList(modelFamily(name), lists, findKnown)
    const price = compilePrice(name, list, { options, findPrice: findServed })
    // The names of a gizmo family are unbounded.
    if (!price || name.includes('-gizmo-')) return price
    if (compiled.size >= MODELS_KEPT_MAX) compiled.clear()
    compiled.set(name, price)
    return price
  }
  const findServed = (name: string): Price | undefined => {
    const bare = name.slice(name.lastIndexOf('/') + 1)
    return find(name) ?? find(bare) ?? find(bare.replaceAll('.', '-'))
  }
  const hasCallPrice = (name: string) => ownFigure(options.ModelPrice, name) !== undefined
  const getRatio = (group: string): number => {
    const ratio = ownFigure(options.GroupRatio, group)
    if (ratio !== undefined) return ratio
    throw new GatewayError('group_not_allowed', {
      zh: `分组 ${group} 没有设置倍率`,
      en: `the group ${group} has no ratio`,
    })
  }
  return {
    get({ model, group }) {
      const ratio = getRatio(group)
      const price = find(model)
      if (price) return atFactor(price, ratio)
      const family = modelFamily(model)
      throw new GatewayError('model_price_missing', {
        zh: `模型 ${family} 没有设置价格或倍率，请管理员在“设置 > 运营设置”中设置`,
        en: `the model ${family} has neither a price nor a ratio; an administrator sets one under Settings > Operation`,
      })
    },
    find,
    findServed,
    hasCallPrice,
    getForCall({ names, group, dollars }) {
      const ratio = getRatio(group)
      const name = names.find(hasCallPrice)
      const price = name === undefined ? undefined : find(name)
      return atFactor(price ?? compileCallPrice(dollars), ratio)
    },
    groupRatio: group => ownFigure(options.GroupRatio, group),
  }
}

/** A changed option is a new object. */
const byOptions = new WeakMap<PriceOptions, PriceBook>()

/** The one book of these options, so that a model is compiled once for all that ask for its price. */
export function priceBookOf(options: PriceOptions): PriceBook {
  const book = byOptions.get(options) ?? createPriceBook(options)
  byOptions.set(options, book)
  return book
}

/** Models that are compiled before other work gets its turn. */
const MODELS_PER_TURN = 20

/** Compiles the prices of these models ahead of their first request. One that cannot be charged fails its own requests only. */
export async function compilePrices({ find }: PriceBook, models: readonly string[]): Promise<void> {
  for (const [index, model] of models.entries()) {
    if (index % MODELS_PER_TURN === MODELS_PER_TURN - 1) await sleepMs(0)
    try {
      find(model)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
}

const DOLLAR = decimal(UNITS_PER_DOLLAR)
/** Units of one token at a dollar per million. */
const UNITS_PER_TOKEN_AT_DOLLAR = decimal(0.5)
/** For models that are priced by token but count none for an image: a quarter of a cent per image at ratio 1. */
const TOKENS_PER_IMAGE = 1_250
/** Of the output of models that the catalogue does not know. */
export const OUTPUT_LIMIT = 131_072

const unitsOf = (dollars: number): Decimal => multiplyBy(DOLLAR, dollars)
/** Exact, unlike a ratio: 2.50 per million is no decimal multiple of 0.30. */
const unitsPerToken = (dollarsPerMillion: number): Decimal =>
  multiplyBy(UNITS_PER_TOKEN_AT_DOLLAR, dollarsPerMillion)

/** Of a model without a list. */
const NO_LIST: OwnPrices = { kind: 'chat', prices: {} }

/** The administrator's price list of a model or of the one that it is a dated version of, else the known one. */
function findList(
  model: string,
  lists: Readonly<Record<string, OwnPrices>>,
  findKnown: (model: string) => OwnPrices | undefined,
): OwnPrices {
  const family = catalogueModels.has(model) ? undefined : familyOfDated(model)
  const own = [model, family].map(name =>
    name !== undefined && Object.hasOwn(lists, name) ? lists[name] : undefined,
  )
  return [...own, findKnown(model)].find(list => list && isPriced(list)) ?? NO_LIST
}

/** `list`: the price list that applies to the model. */
function compilePrice(
  name: string,
  list: OwnPrices,
  { options, findPrice }: Pick<ToolPrices, 'findPrice'> & { readonly options: PriceOptions },
): Price | undefined {
  const model = modelFamily(name)
  const outputTokensMax = ownFigure(options.ModelOutputLimit, name) ?? outputLimit(name) ?? OUTPUT_LIMIT
  const { input } = listedPrices(list)
  const listedRatio = input === undefined ? undefined : toModelRatio(input)
  const dollars = ownFigure(options.ModelPrice, model)
  const modelRatio = ownFigure(options.ModelRatio, model) ?? listedRatio
  if (dollars === undefined && modelRatio !== undefined) {
    const isListed = listedRatio !== undefined && isRoundedForm(modelRatio, listedRatio)
    const figures = findFigures(options, { model, modelRatio, isListed }, listedPrices(list))
    return { ...compileTokenPrice(figures, list, { isListed, findPrice }), outputTokensMax }
  }
  const call = dollars ?? callPrice(list)
  return call === undefined ? undefined : { ...compileCallPrice(call), outputTokensMax }
}

/** `isListed`: the figures mean the price of the list. */
function compileTokenPrice(
  figures: ReturnType<typeof findFigures>,
  list: OwnPrices,
  { isListed, findPrice }: Pick<ToolPrices, 'findPrice'> & { readonly isListed: boolean },
): Omit<Price, 'outputTokensMax'> {
  const listed = listedPrices(list)
  const rates = compileRates(figures, isListed ? list : NO_LIST)
  const base = { ...rates, longPrompts: compileLongPrompts(rates, list, listed) }
  const isFree = isZero(base.highest.input) && isZero(base.highest.output)
  const areSoldAlone = listed.input === 0
  // Tools are free with a model that the administrator made free.
  const isMadeFree = isFree && !areSoldAlone
  const second = isListed ? secondPrice(list) : undefined
  return {
    isFree,
    base,
    tiers: compileTiers(base, list, listed),
    regions: list.prices.regions ?? {},
    ...(second && { second: unitsOf(second) }),
    tools: isMadeFree ? NO_TOOLS : { ...compileTools(list.prices), findPrice, areSoldAlone },
    figures,
  }
}

const toCosts = (costOf: (bucket: TokenBucket) => Rate, images: Rate): Rates['costs'] => ({
  ...mapBuckets(costOf),
  images,
})

const NO_RATE: Rate = { units: decimal(0), ratio: 0, isListed: false }
const NO_RATES = toRates(toCosts(() => NO_RATE, NO_RATE))
const NO_TIERS: Price['tiers'] = new Map()
const NO_TOOLS: ToolPrices = {
  isSearchPerPrompt: false,
  calls: new Map(),
  images: [],
  findPrice: () => undefined,
  areSoldAlone: false,
}

/** Covers everything that the provider does for a request. */
function compileCallPrice(dollars: number): Price {
  const call = unitsOf(dollars)
  return {
    isFree: isZero(call),
    call,
    base: NO_RATES,
    tiers: NO_TIERS,
    regions: {},
    tools: NO_TOOLS,
    outputTokensMax: 0,
    figures: { model_price: dollars },
  }
}

/** The price of a code interpreter is that of a gigabyte for this time. Source: platform.openai.com/docs/pricing */
const INTERPRETER_MINUTES = 20

/** A minute of a container of each size. */
const containerPrices = ({ code_interpreter }: Readonly<Record<string, number>>): Record<string, number> =>
  code_interpreter === undefined
    ? {}
    : Object.fromEntries(
        Object.entries(CONTAINER_GIGABYTES).map(([name, gigabytes]) => [
          name,
          roundRatio((code_interpreter / INTERPRETER_MINUTES) * gigabytes),
        ]),
      )

function compileTools({ search, tool_calls = {}, images = [] }: PriceList) {
  return {
    ...(search && {
      search: { low: unitsOf(search.low), medium: unitsOf(search.medium), high: unitsOf(search.high) },
    }),
    isSearchPerPrompt: search?.per_prompt === true,
    calls: new Map(
      Object.entries({ ...containerPrices(tool_calls), ...tool_calls }).map(([tool, dollars]) => [
        tool,
        unitsOf(dollars),
      ]),
    ),
    images: images.map(({ price, ...kind }) => ({ ...kind, units: unitsOf(price) })),
  }
}

/** Every bucket at the price of the list that the figures mean, else at its ratio. */
function compileRates(figures: ReturnType<typeof findFigures>, list: OwnPrices): Rates {
  const prices = listedPrices(list)
  const { input } = prices
  const image = imagePrice(list)
  const unit = input === undefined ? decimal(figures.model_ratio) : unitsPerToken(input)
  const ratios = toRatios(figures, prices)
  const costOf = (bucket: TokenBucket): Rate => {
    const ratio = toNumber(ratios[bucket])
    const price = prices[bucket]
    const parent = PARENTS[bucket]
    if (price === undefined && parent && toNumber(ratios[parent]) === ratio) return costOf(parent)
    return price !== undefined && input && isRoundedForm(ratio, price / input)
      ? { ratio, units: unitsPerToken(price), isListed: true }
      : { ratio, units: multiply(ratios[bucket], unit), isListed: false }
  }
  return toRates(
    toCosts(costOf, {
      ratio: TOKENS_PER_IMAGE,
      units: image === undefined ? multiplyBy(unit, TOKENS_PER_IMAGE) : unitsOf(image),
      isListed: image !== undefined,
    }),
  )
}

/** Long prompts multiply the rates as they multiply the list price, also where the options have another price. */
const compileLongPrompts = (
  base: Rates,
  { kind, prices }: OwnPrices,
  listed: BucketPrices,
): readonly Rates[] =>
  listed.input === undefined
    ? []
    : (prices.tiers ?? []).map(long => scaleRates(base, listed, bucketPrices(kind, long), long.above))

/** The rates by service tier. A tier that lists no lengths of prompts raises its prices as the default tier does. */
function compileTiers(base: Rates, list: OwnPrices, listed: BucketPrices): Price['tiers'] {
  const tiers = new Map<string, Rates>()
  for (const [name, tier] of Object.entries(list.prices.service_tiers ?? {})) {
    const prices = tierPrices(list, tier)
    const { tiers: lengths = [] } = tier
    const longPrompts =
      lengths.length > 0
        ? lengths.map(long =>
            scaleRates(base, listed, { ...prices, ...bucketPrices(list.kind, long) }, long.above),
          )
        : base.longPrompts.map(long => scaleRates(long, listed, prices))
    tiers.set(name, { ...scaleRates(base, listed, prices), longPrompts })
  }
  return tiers
}

/**
 * The rates at other list prices. Where the base is the provider's price, so is the result; an administrator's own price is
 * multiplied as the provider multiplies his. A base for long prompts is always multiplied, by prices of shorter ones.
 */
function scaleRates(base: Rates, listed: BucketPrices, prices: BucketPrices, above = base.above): Rates {
  const factorOf = (bucket: TokenBucket): number => {
    const [price, usual] = [prices[bucket], listed[bucket]]
    if (price !== undefined && usual) return roundRatio(price / usual)
    const parent = PARENTS[bucket]
    return parent ? factorOf(parent) : 1
  }
  const costOf = (bucket: TokenBucket): Rate => {
    const { ratio, units, isListed } = base.costs[bucket]
    const parent = PARENTS[bucket]
    if (listed[bucket] === undefined && parent && base.costs[parent].ratio === ratio) return costOf(parent)
    const factor = factorOf(bucket)
    const price = isListed && base.above === 0 ? prices[bucket] : undefined
    return {
      ratio: roundRatio(ratio * factor),
      units: price === undefined ? multiplyBy(units, factor) : unitsPerToken(price),
      isListed,
    }
  }
  return toRates(toCosts(costOf, base.costs.images), above)
}

/** The list prices of all known models as the ratios of the options. */
export function catalogueRatios() {
  const priced = [...catalogueModels].filter(([, list]) => isPriced(list))
  const collect = (read: (list: OwnPrices, prices: BucketPrices) => number | undefined) =>
    Object.fromEntries(
      priced.flatMap(([name, list]) => {
        const figure = read(list, listedPrices(list))
        return figure === undefined ? [] : [[name, figure] as const]
      }),
    )
  const relative = (bucket: TokenBucket) => collect((_, prices) => relativePrice(prices, bucket))
  return {
    ModelRatio: collect((_, { input }) => (input === undefined ? undefined : toModelRatio(input))),
    ModelPrice: collect((list, { input }) => (input === undefined ? callPrice(list) : undefined)),
    CompletionRatio: relative('output'),
    CacheRatio: relative('cachedInput'),
    CreateCacheRatio: relative('cacheWrite'),
  }
}

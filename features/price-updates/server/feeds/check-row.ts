import { type PriceList, TOKEN_PRICE_NAMES, type TokenPrices } from '#contract/catalogue/price-list.ts'
import {
  type FeedProblem,
  type FigureRules,
  type FoundRow,
  feedProblem,
  type KnownNames,
  type ProblemReason,
} from './feed.ts'

/** The length limit of model names in channels. */
const NAME_CHARS_MAX = 255
/** Control characters, white space, and characters that are not seen. */
const INVISIBLE = /[\p{C}\p{Z}]/u
/** Names that objects have by themselves. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Dollars per million tokens. The dearest known model asks 600, the cheapest 0.002. */
const TOKEN_DOLLARS_MAX = 10_000
const TOKEN_DOLLARS_MIN = 0.0005
/** Dollars for a picture, a second, a page, a search or a request. */
const UNIT_DOLLARS_MAX = 100
const REGION_FACTOR_MAX = 10
const DIGITS_MAX = 12
/** The difference that sums of binary fractions leave. */
const DUST = 1e-14

/** The names by which look-alikes are found: lower case, without differences of form. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{C}\p{Z}]/gu, '')

export function createKnownNames(names: Iterable<string>): KnownNames {
  const known = new Set(names)
  const folded = new Map([...known].map(name => [foldName(name), name]))
  return { has: name => known.has(name), lookAlike: name => folded.get(foldName(name)) }
}

export function checkName({ model, alias }: FoundRow, known: KnownNames): FeedProblem | undefined {
  if (model.length > NAME_CHARS_MAX) return feedProblem(model, 'name_too_long', '', model.length)
  if (alias !== undefined && alias !== model) return feedProblem(model, 'renamed', 'id', alias)
  const twin = known.has(model) ? undefined : known.lookAlike(model)
  if (twin !== undefined) return feedProblem(model, 'renamed', '', twin)
  if (model === '' || INVISIBLE.test(model) || INHERITED.has(model))
    return feedProblem(model, 'name', '', model)
  return undefined
}

interface Member {
  readonly name: string
  readonly value: unknown
  readonly path: string
  /** Whether it is, or stands within, a member that the format names as a figure. */
  readonly isFigure: boolean
}

/** Finds the first figure of a row that is no finite number of at least 0, or has more digits than are kept. */
export function checkFigures({ model, figures }: FoundRow, rules: FigureRules): FeedProblem | undefined {
  const open: Member[] = [{ name: '', value: figures, path: '', isFigure: rules.names === undefined }]
  for (let member = open.pop(); member; member = open.pop()) {
    if (typeof member.value === 'object' && member.value !== null) open.push(...membersOf(member, rules))
    else if (member.isFigure) {
      const reason = figureProblem(member.name, member.value, rules)
      if (reason) return feedProblem(model, reason, member.path, member.value)
    }
  }
  return undefined
}

const membersOf = ({ value, path, isFigure }: Member, { names }: FigureRules): readonly Member[] =>
  Object.entries(Object(value)).map(([name, child]) => ({
    name,
    value: child,
    path: path === '' ? name : `${path}.${name}`,
    isFigure: isFigure || names?.test(name) === true,
  }))

function figureProblem(name: string, value: unknown, rules: FigureRules): ProblemReason | undefined {
  const { names, areTexts = false, roundedNames } = rules
  if (value === null || typeof value === 'boolean') return undefined
  if (typeof value !== 'number' && !(areTexts && typeof value === 'string'))
    // Texts among figures, such as the name of a size, have names of their own.
    return names?.test(name) === false ? undefined : 'not_a_number'
  return rangeProblem(value === '' ? Number.NaN : Number(value), roundedNames?.test(name) === true)
}

function rangeProblem(figure: number, isRounded: boolean): ProblemReason | undefined {
  if (Number.isNaN(figure)) return 'not_a_number'
  if (figure < 0) return 'negative'
  if (figure === Number.POSITIVE_INFINITY) return 'too_high'
  return isRounded && isLong(figure) ? 'inexact' : undefined
}

/** Whether a price has digits that are lost when it is written with twelve. */
const isLong = (figure: number): boolean =>
  Math.abs(Number(figure.toPrecision(DIGITS_MAX)) - figure) > figure * DUST

type TieredPrices = TokenPrices & {
  readonly tiers?: readonly (TokenPrices & { readonly above: number })[] | undefined
}

/** Checks the prices of a row for plausibility: wrong units show as impossible prices. */
export function checkPrices(model: string, prices: PriceList): FeedProblem | undefined {
  const { service_tiers = {}, regions = {} } = prices
  const rates = [['', prices] as const, ...Object.entries(service_tiers)]
  const units = Object.entries(unitPrices(prices)).find(([, price]) => (price ?? 0) > UNIT_DOLLARS_MAX)
  return (
    firstProblem(rates, ([name, tier]) => checkRates(model, name && `service_tiers.${name}.`, tier)) ??
    (units && feedProblem(model, 'too_high', ...units)) ??
    firstProblem(Object.entries(regions), ([region, factor]) => checkRegion(model, region, factor))
  )
}

function firstProblem<Checked>(
  list: readonly Checked[],
  check: (one: Checked) => FeedProblem | undefined,
): FeedProblem | undefined {
  for (const one of list) {
    const found = check(one)
    if (found) return found
  }
  return undefined
}

function checkRegion(model: string, region: string, factor: number): FeedProblem | undefined {
  if (factor <= REGION_FACTOR_MAX && factor >= 1 / REGION_FACTOR_MAX) return undefined
  return feedProblem(model, factor > 1 ? 'too_high' : 'too_low', `regions.${region}`, factor)
}

/** Prices that are not per token. */
function unitPrices(prices: PriceList): Readonly<Record<string, number | undefined>> {
  const { image, second_input, second_output, page, request, search, images = [] } = prices
  return {
    image,
    second_input,
    second_output,
    page,
    request,
    ...withPrefix('seconds_output', prices.seconds_output ?? {}),
    ...withPrefix('tool_calls', prices.tool_calls ?? {}),
    ...withPrefix('images', Object.fromEntries(images.map(({ price }, index) => [String(index), price]))),
    ...(search && withPrefix('search', { low: search.low, medium: search.medium, high: search.high })),
  }
}

const withPrefix = (prefix: string, figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, figure]) => [`${prefix}.${name}`, figure]))

function checkRates(
  model: string,
  path: string,
  { tiers = [], ...rates }: TieredPrices,
): FeedProblem | undefined {
  const found = checkTokens(model, path, rates)
  if (found) return found
  let previous: TieredPrices & { readonly above: number } = { ...rates, above: 0 }
  for (const tier of tiers) {
    const { above, ...prices } = tier
    const at = `${path}above_${above}.`
    const wrong = checkTokens(model, at, prices)
    if (wrong) return wrong
    if (above <= previous.above || isCheaper(tier, previous)) return feedProblem(model, 'tiers', at, prices)
    previous = { ...previous, ...tier }
  }
  return undefined
}

const isCheaper = (tier: TokenPrices, base: TokenPrices): boolean =>
  (['input', 'output'] as const).some(name => (tier[name] ?? Number.POSITIVE_INFINITY) < (base[name] ?? 0))

function checkTokens(model: string, path: string, prices: object): FeedProblem | undefined {
  for (const [name, price] of Object.entries(prices)) {
    if (typeof price !== 'number' || !(TOKEN_PRICE_NAMES.has(name) || name === 'characters')) continue
    const field = `${path}${name}`
    if (price > TOKEN_DOLLARS_MAX) return feedProblem(model, 'too_high', field, price)
    if (price > 0 && price < TOKEN_DOLLARS_MIN) return feedProblem(model, 'too_low', field, price)
  }
  return undefined
}

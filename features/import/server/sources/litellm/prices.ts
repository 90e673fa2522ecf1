import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import type { Price } from '#server/pricing/price.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import { optionDefault } from '#server/settings/option-defaults.ts'
import { jsonObject } from '../../read-values.ts'
import type { Deployment } from './deployments.ts'

/** A member that is added to an option of prices. */
interface ImportedPrice {
  readonly option: string
  readonly member: string
  readonly value: unknown
  readonly note?: string
}

/** The prices that a deployment may name and that have a counterpart, in dollars per token. */
export const READ_PRICES = [
  'input_cost_per_token',
  'output_cost_per_token',
  'cache_read_input_token_cost',
  'cache_creation_input_token_cost',
] as const

const FIGURES = ['ModelRatio', 'ModelPrice', 'CompletionRatio', 'CacheRatio', 'CreateCacheRatio'] as const

/** Read on first use: most imports have no configuration of LiteLLM. */
function readDefaults() {
  const figures = Object.fromEntries(
    FIGURES.map(option => [option, onlyNumbers(jsonObject(optionDefault(option)))]),
  )
  return { figures, book: createPriceBook(figures) }
}

type Defaults = ReturnType<typeof readDefaults>

/** The prices of all names. Deployments of one name share a price here: the highest that one of them has. */
export function pricesOf(deployments: readonly Deployment[]): readonly ImportedPrice[] {
  const defaults = readDefaults()
  const byName = Map.groupBy(
    deployments
      .filter(({ targets }) => targets.size > 0)
      .flatMap(deployment => deployment.names.map(name => ({ name, deployment }))),
    ({ name }) => name,
  )
  return [...byName].flatMap(([name, served]) =>
    priceOf(
      name,
      served.map(({ deployment }) => deployment),
      defaults,
    ),
  )
}

function priceOf(name: string, served: readonly Deployment[], defaults: Defaults): readonly ImportedPrice[] {
  const named = served.flatMap(deployment => namedPrice(deployment) ?? []).toSorted(byPrice)
  const [highest, ...others] = named
  const isSole = named.length === served.length || named.some(({ input }) => input > 0)
  if (highest && isSole) {
    const isSame = others.every(other => byPrice(highest, other) === 0)
    const note = isSame
      ? {}
      : { note: `deployments of ${name} have different prices there: the highest came` }
    return toRatios(name, highest).map(price => ({ ...price, ...note }))
  }
  return unnamedPrice(name, served, defaults)
}

/** LiteLLM charges what the model behind a name costs, also where the name is that of another known model. */
function unnamedPrice(
  name: string,
  served: readonly Deployment[],
  { book, figures }: Defaults,
): readonly ImportedPrice[] {
  const own = book.find(name)
  const models = served.flatMap(candidatesOf)
  const behind = models.find(model => book.find(model))
  if (own && (models.includes(name) || (behind && isSamePrice(own, book.find(behind))))) return []
  if (behind !== undefined) {
    const prices = likeModel(name, behind, { book, figures })
    const note = `${name} stands for ${behind} there and came with its price`
    return own ? prices.map(price => ({ ...price, note })) : prices
  }
  if (!served.every(({ place }) => 'isOwn' in place && place.isOwn)) return []
  const usual = figures.ModelRatio?.[name]
  const outcome = own ? 'here it costs what its name costs' : 'it came as free'
  const note = `${name} has no price there, and the operator's own server serves it: ${outcome}`
  return own && usual === undefined ? [] : [{ option: 'ModelRatio', member: name, value: usual ?? 0, note }]
}

const isSamePrice = (own: Price, other: Price | undefined): boolean =>
  JSON.stringify(own.figures) === JSON.stringify(other?.figures)

type NamedPrice = Readonly<Record<'input', number> & Partial<Record<'output' | 'cached' | 'write', number>>>

/** In dollars per token. */
function namedPrice({ params = {}, info }: Deployment): NamedPrice | undefined {
  const [input, output, cached, write] = READ_PRICES.map(name => numberOf(params[name] ?? info[name]))
  if (input === undefined || input < 0) return undefined
  return {
    input,
    ...(output !== undefined && { output }),
    ...(cached !== undefined && { cached }),
    ...(write !== undefined && { write }),
  }
}

const byPrice = (a: NamedPrice, b: NamedPrice): number =>
  b.input - a.input || (b.output ?? 0) - (a.output ?? 0)

function toRatios(member: string, { input, output, cached, write }: NamedPrice): readonly ImportedPrice[] {
  if (input === 0 && output) return [{ option: 'ModelPriceLists', member, value: outputAlone(output) }]
  const relative = (option: string, dollars: number | undefined) =>
    dollars === undefined || input === 0 ? [] : [{ option, member, value: toRatio(dollars / input) }]
  return [
    { option: 'ModelRatio', member, value: toRatio(input * UNITS_PER_DOLLAR) },
    ...relative('CompletionRatio', output),
    ...relative('CacheRatio', cached),
    ...relative('CreateCacheRatio', write),
  ]
}

const MILLION = 1_000_000
const outputAlone = (dollars: number) => ({
  kind: 'chat',
  prices: { input: 0, output: toRatio(dollars * MILLION) },
})

/** What the model behind a name costs: its figures, and its list with what no figure expresses. */
function likeModel(member: string, model: string, { book, figures }: Defaults): readonly ImportedPrice[] {
  const { model_ratio, completion_ratio } = book.find(model)?.figures ?? {}
  const compiled: Readonly<Record<string, number | undefined>> = {
    ModelRatio: model_ratio,
    CompletionRatio: completion_ratio,
  }
  const own = FIGURES.flatMap(option => {
    const value = figures[option]?.[model] ?? compiled[option]
    return value === undefined ? [] : [{ option, member, value }]
  })
  const known = findModel(model)
  return known
    ? [...own, { option: 'ModelPriceLists', member, value: { kind: known.kind, prices: known.prices } }]
    : own
}

/** The names under which the model behind a deployment may have a price: LiteLLM's own hint first. */
function candidatesOf({ params = {}, info, targets }: Deployment): readonly string[] {
  const hint = info.base_model ?? params.base_model
  const models = [...(typeof hint === 'string' ? [hint] : []), ...targets.values()]
  return models.flatMap(model => {
    const bare = model.replace(/^(azure|openai|bedrock|anthropic|vertex_ai|gemini)\//, '')
    return [model, bare, toFamily(bare)]
  })
}

/** Bedrock's and Vertex' names of a model without region, provider and revision. */
const toFamily = (model: string): string =>
  model
    .replace(/^(us|eu|apac|jp|au|us-gov|global)\./, '')
    .replace(/^anthropic[./]/, '')
    .replace(/-v\d+(:\d+)?$/, '')
    .replace('@', '-')

const RATIO_DIGITS = 10

/** Without the last digits of binary fractions: 0.075, not 0.07500000000000001. */
const toRatio = (value: number): number => Number(value.toPrecision(RATIO_DIGITS))

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const onlyNumbers = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  )

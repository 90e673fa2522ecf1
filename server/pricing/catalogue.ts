import { CatalogueFile, type CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import data from '#contract/catalogue/models.json'
import type { OwnPrices, PriceList, TokenPrices } from '#contract/catalogue/price-list.ts'
import type { TokenBucket } from '../core/usage.ts'
import { roundRatio } from './price.ts'

const { made, sources, models } = CatalogueFile.parse(data)

/** When and from where the facts of the catalogue were collected. */
export const catalogueOrigin = { made, sources }

/** The bundled models by name. Dated versions that are and cost the same as their model carry its facts. */
export const catalogueModels: ReadonlyMap<string, CatalogueModel> = new Map(
  Object.entries(models).map(([name, entry]) => [name, resolveEntry(name, entry)]),
)

function resolveEntry(name: string, entry: CatalogueFile['models'][string]): CatalogueModel {
  if (!('snapshot_of' in entry)) return entry
  const { snapshot_of, ...dates } = entry
  const model = models[snapshot_of]
  if (!model || 'snapshot_of' in model)
    throw new Error(`${name} is a version of an unknown model ${snapshot_of}`)
  return { ...model, ...dates }
}

/** gpt-5.4-2026-03-05, claude-opus-4-8-20260528 */
const DATED = /^(.+?)-(\d{4}-\d{2}-\d{2}|20\d{6})$/

/** The model of this name, or the one that the name is a dated version of. */
export function findModel(name: string): CatalogueModel | undefined {
  const model = catalogueModels.get(name)
  if (model) return model
  const family = familyOfDated(name)
  return family === undefined ? undefined : catalogueModels.get(family)
}

/** The name without its date; undefined for a name without one. */
export const familyOfDated = (name: string): string | undefined => DATED.exec(name)?.[1]

/** The model of this name, or the known one with the longest name that it begins with: `gpt-4o` for `gpt-4o-of-mine`. */
export function findFamily(name: string): CatalogueModel | undefined {
  for (let end = name.length; end > 0; end = name.lastIndexOf('-', end - 1)) {
    const model = findModel(name.slice(0, end))
    if (model) return model
  }
  return undefined
}

/** Dollars per million tokens of each bucket that has a price. */
export type BucketPrices = Readonly<Partial<Record<TokenBucket, number>>>

/** What models of these kinds produce is counted as output, whether or not the provider tells it from text. */
const PRODUCTS: Partial<Record<ModelKind, 'audio_output'>> = {
  speech: 'audio_output',
  music: 'audio_output',
}

/** The prices of a list, or of its long prompts. */
export function bucketPrices(
  kind: ModelKind,
  list: TokenPrices & Pick<PriceList, 'characters'>,
): BucketPrices {
  const product = PRODUCTS[kind]
  const imageOutput = kind === 'image' ? list.image_output : undefined
  const output = (product && list[product]) ?? list.output ?? imageOutput ?? 0
  // The sources say 0 of models without output, whose price for it is undefined rather than nothing.
  const hasOutput = output > 0 || list.input === 0
  return present({
    // Providers that charge for characters count them as tokens.
    input: list.input ?? list.characters,
    cachedInput: list.cached_input,
    cacheWrite: list.cache_write,
    cacheWriteHour: list.cache_write_1h,
    audioInput: list.audio_input,
    imageInput: list.image_input,
    cachedAudio: list.cached_audio_input,
    cachedImage: list.cached_image_input,
    output: hasOutput ? output : undefined,
    reasoning: list.reasoning,
    audioOutput: list.audio_output,
    imageOutput: list.image_output,
  })
}

const present = (prices: Readonly<Record<TokenBucket, number | undefined>>): BucketPrices =>
  Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined))

/** Where a provider reports no seconds, sound counts as a thousand tokens a minute. */
const TOKENS_PER_SECOND = 1_000 / 60
const MILLION = 1_000_000

/** The prices of a list by token; empty for a list that has none. */
export function listedPrices({ kind, prices }: OwnPrices): BucketPrices {
  const buckets = bucketPrices(kind, prices)
  if (buckets.input !== undefined) return buckets
  const second = secondPrice({ kind, prices })
  return second ? { ...buckets, input: roundRatio((second * MILLION) / TOKENS_PER_SECOND) } : {}
}

/** Dollars per second of sound, where the provider counts no tokens for it. */
export const secondPrice = ({ kind, prices }: OwnPrices): number | undefined =>
  kind === 'transcription' ? prices.second_input : undefined

/** Dollars per image for which no tokens are counted. */
export const imagePrice = ({ kind, prices }: OwnPrices): number | undefined =>
  kind === 'image' ? prices.image : undefined

/** Dollars per request or image of a list without prices by token. */
export const callPrice = (list: OwnPrices): number | undefined => imagePrice(list) ?? list.prices.request

/** Whether a list says what tokens or requests cost. */
export const isPriced = (list: OwnPrices): boolean =>
  listedPrices(list).input !== undefined || callPrice(list) !== undefined

/** A tier whose price of images or sound is not listed raises it as it raises that of input. */
export function tierPrices({ kind, prices }: OwnPrices, tier: TokenPrices): BucketPrices {
  const buckets = bucketPrices(kind, tier)
  const { input, output, imageOutput } = bucketPrices(kind, prices)
  if (!input) return buckets
  const raise = (price: number): number => roundRatio((price * (buckets.input ?? input)) / input)
  const product = PRODUCTS[kind]
  const isProductRaised = product
    ? prices[product] !== undefined && tier[product] === undefined
    : imageOutput !== undefined && buckets.output === undefined
  return {
    ...buckets,
    ...(output && isProductRaised && { output: raise(output) }),
    ...(imageOutput !== undefined && tier.image_output === undefined && { imageOutput: raise(imageOutput) }),
  }
}

/** The longest response of a model in tokens, as its provider states it. Undefined for an unknown model. */
export const outputLimit = (model: string): number | undefined =>
  (findFamily(model) ?? findFamily(model.slice(model.lastIndexOf('/') + 1)))?.output_limit

/** Providers that deliver no thoughts, or only a summary of them. */
const HIDES_THOUGHTS = new Set(['openai', 'google', 'xai'])
/** Thinks not, against what the catalogue's sources say. */
const THINKS_NOT = /^gpt-5-chat/
/** Names of thinking models that the catalogue does not know. */
const THINKS_BY_NAME = /^(o[134]|codex)|-think|reasoner|reasoning/i

/** Whether a model is charged for thoughts that it does not deliver. */
export function thinksUnseen(model: string): boolean {
  const known = findFamily(model)
  const isHidden =
    known !== undefined && HIDES_THOUGHTS.has(known.vendor) && known.abilities.includes('reasoning')
  return (isHidden && !THINKS_NOT.test(model)) || THINKS_BY_NAME.test(model)
}

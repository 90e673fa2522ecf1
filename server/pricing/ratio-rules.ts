import type { OptionValues } from '#contract/options/system-options.ts'
import { type Decimal, decimal, multiply, toNumber } from '../core/money.ts'
import type { TokenBucket } from '../core/usage.ts'
import type { BucketPrices } from './catalogue.ts'
import { RATIO_DIGITS, roundRatio } from './price.ts'

/** The options that decide what a model costs. Absent: without entries. */
export type PriceOptions = Partial<
  Pick<
    OptionValues,
    | 'ModelRatio'
    | 'ModelPrice'
    | 'CompletionRatio'
    | 'CacheRatio'
    | 'CreateCacheRatio'
    | 'ModelPriceLists'
    | 'ModelOutputLimit'
    | 'GroupRatio'
  >
>

/** The ratio of the first family that matches. */
const findRatio = (
  rules: readonly (readonly [family: RegExp, ratio: number])[],
  model: string,
): number | undefined => rules.find(([family]) => family.test(model))?.[1]

/** The published price of an output token divided by that of an input token. */
const COMPLETION_RULES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4.*(-all|-gizmo-\*)$/, 1],
  [/^gpt-4o-mini-tts/, 20],
  [/^gpt-realtime/, 4],
  [/^gpt-image-1-mini/, 4],
  [/^gpt-image-/, 8],
  [/^gpt-4o-2024-05-13$/, 3],
  [/^gpt-4o/, 4],
  [/^gpt-4\.5-preview/, 2],
  [/^gpt-4-turbo/, 3],
  [/^gpt-4.*-(1105|1106)$/, 3],
  [/^gpt-4-(1106|0125|vision|1106-vision)-preview$/, 3],
  [/^gpt-4\.1/, 4],
  [/^gpt-4/, 2],
  [/^gpt-5/, 8],
  [/^o[134]/, 4],
  [/^chatgpt-4o-latest$/, 3],
  [/claude-instant-1|claude-2/, 3],
  [/claude-(3|opus|sonnet|haiku)/, 5],
  [/^gpt-3\.5(-turbo|.*0125)$/, 3],
  [/^gpt-3\.5.*1106$/, 2],
  [/^gpt-3\.5/, 4 / 3],
  [/^mistral-/, 3],
  [/^gemini-(1\.5|2\.0)/, 4],
  [/^gemini-2\.5-pro($|-preview)/, 8],
  [/^gemini-2\.5-flash(?!-lite|-preview)/, 25 / 3],
  [/^gemini-3/, 6],
  [/^gemini-/, 4],
  [/^command-r$/, 3],
  [/^command-r-plus$/, 5],
  [/^command/, 4],
  [/^deepseek-(chat|reasoner)$/i, 4],
  // Prices that the specification fixes for input and output alike.
  [/^(deepseek-coder|qwen-plus|qwen-turbo)$/, 1],
  [/^ERNIE-(Speed-|Lite-|Character|Functions)/, 2],
  [/^llama2-70b-4096$/, 0.8 / 0.64],
  [/^llama3-8b-8192$/, 2],
  [/^llama3-70b-8192$/, 1.338_983_050_847_457_6],
]

/** The price of an output token in input tokens. Undefined for unknown families. */
export const findCompletionRatio = (model: string): number | undefined => findRatio(COMPLETION_RULES, model)

/** The published price of an audio input token divided by that of a text input token. */
const AUDIO_RULES: readonly (readonly [RegExp, number])[] = [
  [/gpt-4o-realtime-preview-2024-12-17$/, 8],
  [/-realtime.*mini|mini.*-realtime/, 50 / 3],
  [/^gpt-realtime/, 8],
  [/-realtime/, 20],
  [/gpt-4o-audio-preview-2024-12-17$/, 16],
  [/-audio.*mini|mini.*-audio/, 200 / 3],
  [/-audio/, 40],
  [/^gpt-4o(-mini)?-transcribe/, 2.4],
]

/** The price of an audio output token in audio input tokens. */
const AUDIO_COMPLETION_RATIO = 2

/** The price of an image input token divided by that of a text input token. Source: platform.openai.com/docs/pricing */
const IMAGE_RULES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-image-1-mini/, 1.25],
  [/^gpt-image-1\.5/, 1.6],
  [/^gpt-image-/, 2],
]

/** Anthropic charges a quarter more for cache writes (docs.anthropic.com, prompt caching); other providers charge nothing. */
const CLAUDE_CACHE_WRITE_RATIO = 1.25
/** A cache write for an hour costs twice the input price, 1.6 times that of a write for five minutes (same page). */
const CLAUDE_HOUR_TO_MINUTES = 1.6
const PRICED_BY_TOKEN = -1
/** Dollars per million input tokens at a ratio of 1. */
const DOLLARS_AT_RATIO_ONE = 2
const ROUNDING = 10 ** (1 - RATIO_DIGITS)

/** The ratio that stands for a price in the options. */
export const toModelRatio = (dollarsPerMillion: number): number =>
  roundRatio(dollarsPerMillion / DOLLARS_AT_RATIO_ONE)

/** The dollars per million tokens that a ratio stands for. */
export const toDollars = (modelRatio: number, ratio = 1): number =>
  roundRatio(modelRatio * DOLLARS_AT_RATIO_ONE * ratio)

/** Whether a configured ratio is the rounded form of this one, and thus means the provider's exact price. */
export const isRoundedForm = (configured: number, exact: number): boolean =>
  Math.abs(configured - exact) <= exact * ROUNDING

/**
 * The ratios of a model that is priced by token, as receipts show them: those of the options, else of its list price or its
 * family. `isListed`: the model ratio means the list price.
 */
export function findFigures(
  options: PriceOptions,
  { model, modelRatio, isListed }: { model: string; modelRatio: number; isListed: boolean },
  listed: BucketPrices,
) {
  const relative = (bucket: TokenBucket): number | undefined => relativePrice(listed, bucket)
  const configured = (option: 'CacheRatio' | 'CreateCacheRatio'): number | undefined =>
    ownFigure(options[option], model)
  // A model of another price than the list's is another offer: its family decides first, and no discount is assumed.
  const completion = isListed
    ? (relative('output') ?? findCompletionRatio(model))
    : (findCompletionRatio(model) ?? relative('output'))
  const image = relative('imageInput') ?? findRatio(IMAGE_RULES, model)
  const completionRatio = findOwnCompletion(options, model, listed) ?? completion ?? 1
  const imageOutput = isListPrice(completionRatio, relative('output')) ? relative('imageOutput') : undefined
  return {
    model_price: PRICED_BY_TOKEN,
    model_ratio: modelRatio,
    completion_ratio: completionRatio,
    cache_ratio: configured('CacheRatio') ?? (isListed ? relative('cachedInput') : undefined) ?? 1,
    ...toCacheWriteRatios(configured('CreateCacheRatio') ?? relative('cacheWrite'), model, listed),
    ...findAudioRatios(model, listed),
    ...(image && { image_ratio: image }),
    ...(imageOutput && imageOutput !== completionRatio && { image_output_ratio: imageOutput }),
  }
}

/**
 * The administrator's price of output. That of pictures was once stored as the price of all output of a model that also
 * writes, and means the list price.
 */
function findOwnCompletion(options: PriceOptions, model: string, listed: BucketPrices): number | undefined {
  const ratio = ownFigure(options.CompletionRatio, model)
  return ratio !== undefined && isListPrice(ratio, relativePrice(listed, 'imageOutput')) ? undefined : ratio
}

const isListPrice = (ratio: number, listed: number | undefined): boolean =>
  listed !== undefined && isRoundedForm(ratio, listed)

function toCacheWriteRatios(ratio: number | undefined, model: string, listed: BucketPrices) {
  const isClaude = model.includes('claude')
  const cacheWrite = ratio ?? (isClaude ? CLAUDE_CACHE_WRITE_RATIO : 1)
  const usual = isClaude ? CLAUDE_HOUR_TO_MINUTES : 1
  // The relation stays when an administrator sets another price.
  const hourToMinutes =
    listed.cacheWrite && listed.cacheWriteHour ? roundRatio(listed.cacheWriteHour / listed.cacheWrite) : usual
  const hour = toNumber(multiply(decimal(cacheWrite), decimal(hourToMinutes)))
  return {
    create_cache_ratio: cacheWrite,
    ...(hour !== cacheWrite && { create_cache_ratio_1h: hour }),
  }
}

/** Empty for models that price audio like text. */
function findAudioRatios(model: string, listed: BucketPrices) {
  const [input, output] = [relativePrice(listed, 'audioInput'), relativePrice(listed, 'audioOutput')]
  if (input === undefined && output === undefined) {
    const ratio = findRatio(AUDIO_RULES, model)
    return ratio === undefined ? {} : { audio_ratio: ratio, audio_completion_ratio: AUDIO_COMPLETION_RATIO }
  }
  const audio = input ?? 1
  // Nothing is a multiple of a price of 0.
  if (audio === 0) return { audio_ratio: audio }
  const completion = roundRatio((output ?? relativePrice(listed, 'output') ?? audio) / audio)
  return { audio_ratio: audio, audio_completion_ratio: completion }
}

export function relativePrice(listed: BucketPrices, bucket: TokenBucket): number | undefined {
  const price = listed[bucket]
  return price === undefined || !listed.input ? undefined : roundRatio(price / listed.input)
}

/** The price of each bucket in input tokens. `listed`: the list price, where the figures mean it. */
export function toRatios(
  figures: ReturnType<typeof findFigures>,
  listed: BucketPrices,
): Readonly<Record<TokenBucket, Decimal>> {
  const { cache_ratio, create_cache_ratio, image_ratio = 1, audio_ratio, audio_completion_ratio } = figures
  const completion = decimal(figures.completion_ratio)
  /** A part of a bucket has the list price where the bucket has it. */
  const partOf = (ratio: number, parent: TokenBucket, part: TokenBucket): Decimal => {
    const own = isListPrice(ratio, relativePrice(listed, parent)) ? relativePrice(listed, part) : undefined
    return decimal(own ?? ratio)
  }
  const isAudioPriced = audio_ratio !== undefined && audio_completion_ratio !== undefined
  return {
    input: decimal(1),
    cachedInput: decimal(cache_ratio),
    cacheWrite: decimal(create_cache_ratio),
    cacheWriteHour: decimal(figures.create_cache_ratio_1h ?? create_cache_ratio),
    audioInput: decimal(audio_ratio ?? 1),
    imageInput: decimal(image_ratio),
    cachedAudio: partOf(cache_ratio, 'cachedInput', 'cachedAudio'),
    cachedImage: partOf(cache_ratio, 'cachedInput', 'cachedImage'),
    output: completion,
    reasoning: partOf(figures.completion_ratio, 'output', 'reasoning'),
    imageOutput: decimal(figures.image_output_ratio ?? figures.completion_ratio),
    audioOutput: isAudioPriced
      ? multiply(decimal(audio_ratio), decimal(audio_completion_ratio))
      : decimal(relativePrice(listed, 'audioOutput') ?? figures.completion_ratio),
  }
}

/** Own properties only: a model named `constructor` has no price. */
export const ownFigure = (
  figures: Readonly<Record<string, number>> | undefined,
  name: string,
): number | undefined => (figures && Object.hasOwn(figures, name) ? figures[name] : undefined)

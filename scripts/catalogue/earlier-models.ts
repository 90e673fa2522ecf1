import type { CatalogueModel } from '#contract/catalogue/catalogue.ts'
import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import type { PriceList } from '#contract/catalogue/price-list.ts'
import defaults from '#contract/options/default-prices.json'
import { listedPrices } from '#contract/options/list-prices.ts'
import { findCompletionRatio } from '#server/pricing/ratio-rules.ts'

/** Models that the channel types list and the sources no longer do: their prices are the defaults of the options. */
export interface EarlierModel {
  readonly name: string
  /** Name of the channel type that lists it. */
  readonly provider: string
}

const KINDS: readonly (readonly [kind: ModelKind, name: RegExp])[] = [
  ['task', /^(mj_|swap_face$|suno_)/i],
  ['rerank', /rerank/i],
  ['embeddings', /embed|(^|\/)bge-|^m3e|^tao-8k|^gte-|jina-clip|semantic_similarity/i],
  ['moderation', /moderation/i],
  ['transcription', /whisper|transcribe|-asr|sensevoice/i],
  ['speech', /(^|[-/_])tts([-_]|$)|cosyvoice|^speech-/i],
  ['realtime', /realtime/i],
  [
    'image',
    /dall-e|gpt-image|imagen|cogview|seedream|stable-diffusion|flux|wanx|qwen-image|kolors|grok-2-image/i,
  ],
  ['completion', /^text-(ada|babbage|curie|davinci)|instruct$|^(babbage|davinci)-002/],
]

/** The longest answers of families in tokens, thoughts included. */
const OUTPUT_LIMITS: readonly (readonly [family: RegExp, tokens: number])[] = [
  [/realtime/, 4_096],
  [/^gpt-3\.5|^gpt-4-(1106|0125|turbo|vision)|^gpt-4-\d+-preview|^gpt-4o-2024-05-13$/, 4_096],
  [/^gpt-4-32k|^gpt-4\.1|^o1-preview/, 32_768],
  [/^gpt-4o-64k|^o1-mini/, 65_536],
  [/^gpt-4o|^gpt-4\.5|^chatgpt-4o/, 16_384],
  [/^gpt-4(-0|-all|$)/, 8_192],
  [/^gpt-5.*-pro/, 272_000],
  [/^gpt-5|^codex/, 128_000],
  [/^o[134]/, 100_000],
  [/claude-3-(opus|sonnet|haiku)|claude-instant|claude-2/, 4_096],
  [/claude-3-5/, 8_192],
  [/claude/, 128_000],
  [/^gemini-(pro|1|2\.0-flash(?!-thinking))/, 8_192],
  [/^gemini/, 65_536],
  [/^deepseek/i, 65_536],
  [/^command/, 32_768],
  [/^kimi/i, 262_144],
]

const THINKS = /^(o[134]|gpt-5(?!-chat)|gemini-(2\.5|3)|grok-4)|-think|reasoner|reasoning/i

const PROVIDERS: readonly (readonly [modelProvider: string, name: RegExp])[] = [
  ['openai', /^(gpt|chatgpt|o[134]|text-|dall-e|tts|whisper|babbage|davinci|omni|codex)/],
  ['anthropic', /^claude/],
  ['google', /^(gemini|gemma|imagen|PaLM)/],
  ['meta', /^meta\//],
]
/** Providers of channel types that are named after a product. */
const PROVIDERS_OF_TYPES: Readonly<Record<string, string>> = {
  ali: 'alibaba',
  lingyi: '01-ai',
  siliconcloud: 'siliconflow',
  volcano: 'volcengine',
}

const DOLLARS_AT_RATIO_ONE = 2
/** The defaults of the options have up to 16. */
const DIGITS = 15
/** The price list of late 2025 has 9. */
const CACHE_DIGITS = 8

export const earlierOutputLimit = (name: string): number | undefined =>
  OUTPUT_LIMITS.find(([family]) => family.test(name))?.[1]

export function earlierModel({ name, provider }: EarlierModel): CatalogueModel {
  const kind = kindOf(name)
  const limit = earlierOutputLimit(name)
  const [type = ''] = provider.toLowerCase().split(' ')
  const modelProvider =
    PROVIDERS.find(([, pattern]) => pattern.test(name))?.[0] ?? PROVIDERS_OF_TYPES[type] ?? type
  return {
    vendor: modelProvider,
    kind,
    ...(limit && (kind === 'chat' || kind === 'realtime') && { output_limit: limit }),
    input: kind === 'transcription' ? ['audio'] : ['text'],
    output: kind === 'image' ? ['image'] : kind === 'speech' ? ['audio'] : ['text'],
    abilities: THINKS.test(name) ? ['reasoning'] : [],
    prices: pricesOf(name),
  }
}

const kindOf = (name: string): ModelKind => KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'chat'

function pricesOf(name: string): PriceList {
  const find = (...tables: readonly object[]): number | undefined =>
    tables.map(table => Reflect.get(table, name)).find(value => typeof value === 'number')
  const call = find(defaults.model_price, listedPrices.modelPrice)
  if (call !== undefined) return { request: call }
  const ratio = find(defaults.model_ratio, listedPrices.modelRatio)
  if (ratio === undefined) return {}
  const dollars = (factor: number): number =>
    factor === 1
      ? ratio * DOLLARS_AT_RATIO_ONE
      : Number((ratio * DOLLARS_AT_RATIO_ONE * factor).toPrecision(DIGITS))
  const completion =
    find(defaults.completion_ratio, listedPrices.completionRatio) ?? findCompletionRatio(name) ?? 1
  const cached = find(defaults.cache_ratio, listedPrices.cacheRatio)
  const written = find(defaults.create_cache_ratio)
  return {
    input: dollars(1),
    ...(kindOf(name) === 'chat' && { output: dollars(completion) }),
    ...(cached !== undefined && { cached_input: dollars(cached) }),
    ...(written !== undefined && { cache_write: dollars(written) }),
  }
}

/** The sources lack some prices of cached input that the providers had named before, at the same price of input. */
export function addListedCachePrice(name: string, model: CatalogueModel): CatalogueModel {
  const { input, cached_input: cached } = model.prices
  const ratio = Reflect.get(listedPrices.cacheRatio, name)
  const listedInput = Reflect.get(listedPrices.modelRatio, name)
  const isSame = input !== undefined && listedInput * DOLLARS_AT_RATIO_ONE === input
  if (cached !== undefined || !isSame || typeof ratio !== 'number') return model
  return {
    ...model,
    prices: { ...model.prices, cached_input: Number((input * ratio).toPrecision(CACHE_DIGITS)) },
  }
}

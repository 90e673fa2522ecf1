import type { PricingRow } from '../contract.ts'
import type { PricingSearch } from './search-params.ts'

/** A ratio of 1 is $2 per million tokens. */
const DOLLARS_PER_RATIO = 2
const MILLION = 1_000_000
const BY_CALL = 1

export const isPricedByCall = ({ quota_type }: PricingRow): boolean => quota_type === BY_CALL

/** The buckets whose price is shown for every model that is priced by token, also where they cost the same. */
export const MAIN_BUCKETS = ['input', 'output', 'cached', 'cacheWrite'] as const
/** Buckets that are shown where they have a price of their own. */
const SPECIAL_BUCKETS = ['cacheWriteHour', 'audioInput', 'audioOutput', 'imageInput', 'imageOutput'] as const
export type PriceBucket = (typeof MAIN_BUCKETS)[number] | (typeof SPECIAL_BUCKETS)[number]

/** The ratios behind the price of each bucket; undefined where the model has no price of its own for it. */
export function bucketRatios(row: PricingRow): Readonly<Record<PriceBucket, number | undefined>> {
  const { cache_ratio = 1, create_cache_ratio = 1, audio_ratio, audio_completion_ratio = 1 } = row
  return {
    input: 1,
    output: row.completion_ratio,
    cached: cache_ratio,
    cacheWrite: create_cache_ratio,
    cacheWriteHour: row.create_cache_ratio_1h,
    audioInput: audio_ratio,
    audioOutput: audio_ratio === undefined ? undefined : audio_ratio * audio_completion_ratio,
    imageInput: row.image_ratio,
    imageOutput: row.image_output_ratio,
  }
}

/** The buckets that the price of a model consists of. */
export function bucketsOf(row: PricingRow): readonly PriceBucket[] {
  if (isPricedByCall(row)) return ['input']
  const ratios = bucketRatios(row)
  return [...MAIN_BUCKETS, ...SPECIAL_BUCKETS.filter(bucket => ratios[bucket] !== undefined)]
}

/** Dollars per million tokens: model ratio × 2 × group ratio × the ratio of the bucket. */
export function bucketPrice(row: PricingRow, bucket: PriceBucket, groupRatio: number): number | undefined {
  const ratio = bucketRatios(row)[bucket]
  return ratio === undefined ? undefined : row.model_ratio * DOLLARS_PER_RATIO * groupRatio * ratio
}

/** Dollars per call. */
export const callPrice = (row: PricingRow, groupRatio: number): number => row.model_price * groupRatio

/** The cost of a request in dollars. */
export function requestCost(
  row: PricingRow,
  tokens: Partial<Record<PriceBucket, number>>,
  groupRatio: number,
): number {
  if (isPricedByCall(row)) return callPrice(row, groupRatio)
  const costOf = (bucket: PriceBucket): number =>
    (bucketPrice(row, bucket, groupRatio) ?? 0) * (tokens[bucket] ?? 0)
  return MAIN_BUCKETS.map(costOf).reduce((sum, cost) => sum + cost, 0) / MILLION
}

/** True when a channel serves the model to the group. */
export const isAvailable = (row: PricingRow, group: string): boolean => row.enable_groups.includes(group)

const THOUSAND = 1000
const KIBI = 1024

/** Tokens as providers state the size of a context: 8K and 128K, also of 8,192 and 131,072; 1M. */
export function contextText(tokens: number): string {
  const thousand = tokens % THOUSAND !== 0 && tokens % KIBI === 0 ? KIBI : THOUSAND
  const [size, unit] = tokens < thousand ** 2 ? [tokens / thousand, 'K'] : [tokens / thousand ** 2, 'M']
  return `${Number(size.toPrecision(3))}${unit}`
}

type Filters = Pick<PricingSearch, 'q' | 'provider' | 'kind' | 'sort'>

/** A search ignores case and the difference between full-width and half-width letters. */
const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase()

const billingKind = (row: PricingRow): 'tokens' | 'call' => (isPricedByCall(row) ? 'call' : 'tokens')

/** The matching models in the requested order. The default order is GPT models first, then by name. */
export function listPrices(
  rows: readonly PricingRow[],
  { q, provider, kind, sort }: Filters,
): readonly PricingRow[] {
  const query = foldCase(q)
  return rows
    .filter(row => foldCase(row.model_name).includes(query))
    .filter(row => provider === '' || providerFacet(row) === provider)
    .filter(row => kind === '' || billingKind(row) === kind)
    .toSorted(comparator(sort))
}

/** Filter value of the models without a known provider: an empty value means no filter. */
export const OTHER_PROVIDER_FILTER = '-'

const providerFacet = (row: PricingRow): string => modelProvider(row.model_name) || OTHER_PROVIDER_FILTER

type Comparator = (a: PricingRow, b: PricingRow) => number

const byName: Comparator = (a, b) => a.model_name.localeCompare(b.model_name)
const isGpt = (row: PricingRow): number => Number(row.model_name.startsWith('gpt'))
const defaultOrder: Comparator = (a, b) => isGpt(b) - isGpt(a) || byName(a, b)

/** Models priced by the call sort by that price in both columns. */
const sortPrice = (row: PricingRow, key: 'input' | 'output'): number =>
  isPricedByCall(row) ? row.model_price : (bucketPrice(row, key, 1) ?? 0)

function comparator(sort: PricingSearch['sort']): Comparator {
  if (sort === '') return defaultOrder
  const isDescending = sort.startsWith('-')
  const key = isDescending ? sort.slice(1) : sort
  const order: Comparator =
    key === 'input' || key === 'output'
      ? (a, b) => sortPrice(a, key) - sortPrice(b, key) || byName(a, b)
      : byName
  return isDescending ? (a, b) => order(b, a) : order
}

interface ProviderCount {
  readonly value: string
  readonly count: number
}

/** The number of models of each provider, largest first. */
export function countProviders(rows: readonly PricingRow[]): readonly ProviderCount[] {
  const groups = Map.groupBy(rows, providerFacet)
  return [...groups]
    .map(([value, found]) => ({ value, count: found.length }))
    .toSorted((a, b) => b.count - a.count)
}

export const countKind = (rows: readonly PricingRow[], kind: 'tokens' | 'call'): number =>
  rows.filter(row => billingKind(row) === kind).length

/** Providers by the beginning of their model names. */
const NAME_PATTERNS: ReadonlyArray<readonly [string, RegExp]> = [
  [
    'OpenAI',
    /^(gpt|chatgpt|o\d|codex|dall-e|whisper|tts|text-embedding|text-moderation|omni-|davinci|babbage|text-davinci|sora)/,
  ],
  ['Anthropic', /^claude/],
  ['Google', /^(gemini|gemma|palm|imagen|veo)/],
  ['DeepSeek', /^deepseek/],
  ['Alibaba', /^(qwen|qwq|qvq|wan)/],
  ['Zhipu', /^(glm|chatglm|cogview|cogvideo)/],
  ['Moonshot', /^(moonshot|kimi)/],
  ['Baidu', /^(ernie|bloomz|embedding-v1|tao-)/],
  ['Xunfei', /^spark/],
  ['Tencent', /^hunyuan/],
  ['ByteDance', /^doubao/],
  ['Mistral', /^(mistral|mixtral|codestral|ministral|pixtral|open-mi)/],
  ['Meta', /^(llama|meta-llama)/],
  ['Cohere', /^(command|c4ai|rerank|embed-)/],
  ['xAI', /^grok/],
  ['MiniMax', /^(abab|minimax)/],
  ['01.AI', /^yi-/],
  ['360', /^(360|semantic_)/],
  ['Midjourney', /^mj_/],
  ['Suno', /^suno_/],
  ['Jina', /^jina/],
]

const OTHER_PROVIDER = ''

/** The provider of a model, by its name; empty when it is unknown. A path before the name is ignored. */
export function modelProvider(model: string): string {
  const name = (model.toLowerCase().split('/').at(-1) ?? '').trim()
  return NAME_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0] ?? OTHER_PROVIDER
}

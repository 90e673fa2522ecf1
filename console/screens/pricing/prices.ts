import type { PricingRow } from '#contract/billing/pricing.ts'
import type { PricingSearch } from './search-params.ts'

/** A ratio of 1 is $2 per million tokens. */
const DOLLARS_PER_RATIO = 2
const MILLION = 1_000_000
const BY_CALL = 1

export const isPricedByCall = ({ quota_type }: PricingRow): boolean => quota_type === BY_CALL

/** Dollars per million tokens, or per call. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cached: number | undefined
  readonly call: number
}

/** The price of a model in a group: model ratio × 2 × group ratio, and times the completion ratio for output. */
export function modelPrice(row: PricingRow, groupRatio: number): Price {
  const input = row.model_ratio * DOLLARS_PER_RATIO * groupRatio
  return {
    input,
    output: input * row.completion_ratio,
    cached: row.cache_ratio === undefined ? undefined : input * row.cache_ratio,
    call: row.model_price * groupRatio,
  }
}

/** The cost of a request in dollars. */
export const requestCost = (price: Price, inputTokens: number, outputTokens: number): number =>
  (price.input * inputTokens + price.output * outputTokens) / MILLION

/** True when a channel serves the model to the group. */
export const isAvailable = (row: PricingRow, group: string): boolean => row.enable_groups.includes(group)

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
  isPricedByCall(row) ? row.model_price : modelPrice(row, 1)[key]

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

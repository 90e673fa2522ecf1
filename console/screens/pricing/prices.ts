import type { PricingRow } from '#contract/billing/pricing.ts'
import type { PricingSearch } from './search-params.ts'

/** A ratio of 1 is $2 for a million tokens. */
const DOLLARS_PER_RATIO = 2
const MILLION = 1_000_000
const BY_CALL = 1

export const isPricedByCall = ({ quota_type }: PricingRow): boolean => quota_type === BY_CALL

/** Dollars for a million tokens, or for a call. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cached: number | undefined
  readonly call: number
}

/** What a model costs in a group. Formula of the specification: ratio × 2 × group, times the completion ratio. */
export function modelPrice(row: PricingRow, groupRatio: number): Price {
  const input = row.model_ratio * DOLLARS_PER_RATIO * groupRatio
  return {
    input,
    output: input * row.completion_ratio,
    cached: row.cache_ratio === undefined ? undefined : input * row.cache_ratio,
    call: row.model_price * groupRatio,
  }
}

/** What a request costs, in dollars. */
export const requestCost = (price: Price, inputTokens: number, outputTokens: number): number =>
  (price.input * inputTokens + price.output * outputTokens) / MILLION

/** Whether the group can call it. */
export const isAvailable = (row: PricingRow, group: string): boolean => row.enable_groups.includes(group)

type Filters = Pick<PricingSearch, 'q' | 'provider' | 'kind' | 'sort'>

/** Full-width and half-width letters, upper and lower case are the same to a search. */
const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase()

const billingKind = (row: PricingRow): 'tokens' | 'call' => (isPricedByCall(row) ? 'call' : 'tokens')

/** The rows that match, in the order that was asked for; at first GPT models, then by name. */
export function listPrices(
  rows: readonly PricingRow[],
  { q, provider, kind, sort }: Filters,
): readonly PricingRow[] {
  const wanted = foldCase(q)
  return rows
    .filter(row => foldCase(row.model_name).includes(wanted))
    .filter(row => provider === '' || providerFacet(row) === provider)
    .filter(row => kind === '' || billingKind(row) === kind)
    .toSorted(comparator(sort))
}

const OTHERS_FACET = '-'

/** The provider as the filter knows it: others have a name of their own there. */
const providerFacet = (row: PricingRow): string => modelProvider(row.model_name) || OTHERS_FACET

type Comparator = (a: PricingRow, b: PricingRow) => number

const byName: Comparator = (a, b) => a.model_name.localeCompare(b.model_name)
const isGpt = (row: PricingRow): number => Number(row.model_name.startsWith('gpt'))
const defaultOrder: Comparator = (a, b) => isGpt(b) - isGpt(a) || byName(a, b)

/** Models that are priced by the call have their price in place of both. */
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

/** How many models each provider has, most first. */
export function countProviders(rows: readonly PricingRow[]): readonly ProviderCount[] {
  const groups = Map.groupBy(rows, providerFacet)
  return [...groups]
    .map(([value, found]) => ({ value, count: found.length }))
    .toSorted((a, b) => b.count - a.count)
}

export const countKind = (rows: readonly PricingRow[], kind: 'tokens' | 'call'): number =>
  rows.filter(row => billingKind(row) === kind).length

/** Whose model a name belongs to, by how it begins. Names that begin otherwise are others'. */
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

export function modelProvider(model: string): string {
  const name = (model.toLowerCase().split('/').at(-1) ?? '').trim()
  return NAME_PATTERNS.find(([, beginning]) => beginning.test(name))?.[0] ?? OTHER_PROVIDER
}

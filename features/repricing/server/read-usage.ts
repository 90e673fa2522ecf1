import {
  completionTokens,
  type ExtraUsage,
  mapBuckets,
  promptTokens,
  type Usage,
} from '#server/core/usage.ts'

/** Why a request keeps its charge. */
export type KeptReason = 'no_receipt' | 'no_usage' | 'no_price' | 'no_group'

/** The spelling of `toReceipt`. Client text cannot look like it: its quotation marks are escaped. */
const PROVENANCE = ',"provenance":"'
const USAGE = ',"usage":'
const USAGE_END = ',"lines":['
const REJECTED = ',"rejected_usage":'
const EXTRA = ',"extra_usage":'

/**
 * The usage of a receipt; 'free' where nothing is charged at any price. Only the usage is parsed, since receipts are long
 * and there are millions of them.
 */
export function readUsage(receipt: string | null): Usage | 'free' | KeptReason {
  if (receipt === null || receipt === '') return 'no_receipt'
  const start = receipt.indexOf(USAGE)
  const end = start < 0 ? -1 : receipt.indexOf(USAGE_END, start)
  if (end < 0) return 'no_usage'
  const provenance = receipt.indexOf(PROVENANCE)
  if (receipt.startsWith('free"', provenance + PROVENANCE.length)) return 'free'
  const text = receipt.slice(start + USAGE.length, end)
  const rejected = text.indexOf(REJECTED)
  return parseUsage(rejected < 0 ? text : text.slice(0, rejected))
}

function parseUsage(text: string): Usage | 'no_usage' {
  const extra = text.indexOf(EXTRA)
  try {
    const usage = toUsage(parseCounts(extra < 0 ? text : text.slice(0, extra)))
    if (!isCounted(usage)) return 'no_usage'
    if (extra < 0) return usage
    const extras: Readonly<Record<string, unknown>> = JSON.parse(text.slice(extra + EXTRA.length))
    return { ...usage, ...toExtras(extras) }
  } catch {
    return 'no_usage'
  }
}

/** The cast is safe, since `isCounted` rejects everything that the relay does not write. */
const parseCounts = (text: string) => JSON.parse(text) as Readonly<Partial<Usage>>

/** Receipts leave out zeros. */
const toUsage = (counts: Readonly<Partial<Usage>>): Usage => ({
  ...mapBuckets(bucket => counts[bucket] ?? 0),
  images: counts.images ?? 0,
  webSearches: counts.webSearches ?? 0,
})

/** Whether the figures can be charged: a text would make their sum a text. */
const isCounted = (usage: Usage): boolean =>
  usage.input >= 0 &&
  usage.cachedInput >= 0 &&
  usage.output >= 0 &&
  usage.reasoning >= 0 &&
  Number.isFinite(promptTokens(usage) + completionTokens(usage) + usage.images + usage.webSearches)

/** The names of the receipt. The cast is safe, since only `toReceipt` writes them. */
function toExtras(stored: Readonly<Record<string, unknown>>): ExtraUsage {
  const named: Record<string, unknown> = {}
  for (const [key, name] of EXTRAS) if (stored[key] !== undefined) named[name] = stored[key]
  return named as ExtraUsage
}

const EXTRAS = [
  ['web_searches', 'webSearches'],
  ['search_context', 'searchContext'],
  ['tool_calls', 'toolCalls'],
  ['tool_images', 'toolImages'],
  ['other_models', 'otherModels'],
  ['seconds', 'seconds'],
  ['service_tier', 'serviceTier'],
  ['region', 'region'],
] as const

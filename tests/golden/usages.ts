/** What a request used, in buckets that do not overlap. Absent: nothing. */
export interface PricedUsage {
  readonly input?: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly cacheWriteHour?: number
  readonly audioInput?: number
  readonly imageInput?: number
  readonly output?: number
  readonly reasoning?: number
  readonly audioOutput?: number
  readonly images?: number
  readonly webSearches?: number
  readonly searchContext?: 'low' | 'medium' | 'high'
  readonly toolCalls?: Readonly<Record<string, number>>
  readonly toolImages?: readonly ToolImages[]
  readonly seconds?: number
  readonly serviceTier?: string
  readonly region?: string
}

interface ToolImages {
  readonly model: string
  readonly count: number
  readonly size?: string
  readonly quality?: string
  readonly tokens?: { readonly input: number; readonly imageInput: number; readonly output: number }
}

const PLAIN: PricedUsage = { input: 1_000, output: 500 }
const LONG: PricedUsage = { input: 250_000, output: 3_000 }
const LONGEST: PricedUsage = { input: 300_001, cachedInput: 50_000, output: 777 }
const CACHED: PricedUsage = { ...PLAIN, cachedInput: 7_777 }
const WRITTEN: PricedUsage = { ...CACHED, cacheWrite: 1_234, cacheWriteHour: 567 }

/** Usages by name. Every model is priced for each, whether it can be used like that or not. */
export const USAGES: Readonly<Record<string, PricedUsage>> = {
  plain: PLAIN,
  'one token': { input: 1 },
  'input only': { input: 1_001 },
  'output only': { output: 333 },
  'odd figures': { input: 12_347, cachedInput: 89, output: 6_173, reasoning: 7 },
  nothing: {},
  huge: { input: 2_000_000_000, output: 900_000_000 },
  'long prompt': LONG,
  'longest prompt': LONGEST,
  'prompt at 200,000': { input: 200_000, output: 10 },
  'prompt above 200,000': { input: 200_001, output: 10 },
  'cached reads': CACHED,
  'cached reads only': { cachedInput: 4_096, output: 1 },
  'cache writes': { ...CACHED, cacheWrite: 1_234 },
  'cache writes for an hour': { ...CACHED, cacheWriteHour: 567 },
  'cache writes of both kinds': WRITTEN,
  'long prompt with cache writes': { ...WRITTEN, input: 210_000 },
  'sound in': { ...PLAIN, audioInput: 321 },
  'sound out': { ...PLAIN, audioOutput: 123 },
  'sound in and out': { input: 30, audioInput: 100, output: 20, audioOutput: 40 },
  'pictures in': { ...PLAIN, imageInput: 258 },
  reasoning: { ...PLAIN, reasoning: 2_048 },
  everything: { ...WRITTEN, audioInput: 11, imageInput: 13, reasoning: 17, audioOutput: 19 },
  'one picture': { images: 1 },
  'weighted pictures': { images: 3.5 },
  'pictures by tokens': { input: 50, imageInput: 323, output: 4_160, images: 1 },
  'seconds of sound': { input: 1_000, seconds: 61 },
  'seconds and text': { input: 17, output: 90, seconds: 3.2 },
  searches: { ...PLAIN, webSearches: 3 },
  'searches with a low context': { ...PLAIN, webSearches: 1, searchContext: 'low' },
  'searches with a high context': { ...PLAIN, webSearches: 2, searchContext: 'high' },
  'tool calls': { ...PLAIN, toolCalls: { file_search: 4, code_interpreter: 1, maps: 2, x_search: 3 } },
  'pictures of a tool': {
    ...PLAIN,
    toolImages: [{ model: 'gpt-image-1', count: 2, size: '1024x1024', quality: 'high' }],
  },
  'pictures of a tool by tokens': {
    ...PLAIN,
    toolImages: [{ model: 'gpt-image-1.5', count: 1, tokens: { input: 40, imageInput: 300, output: 1_056 } }],
  },
  'pictures of an unknown tool model': { ...PLAIN, toolImages: [{ model: 'no-such-model', count: 1 }] },
  'tier batch': { ...CACHED, serviceTier: 'batch' },
  'tier flex': { ...CACHED, serviceTier: 'flex' },
  'tier priority': { ...WRITTEN, reasoning: 64, serviceTier: 'priority' },
  'tier fast': { ...WRITTEN, serviceTier: 'fast' },
  'tier of a long prompt': { ...LONGEST, serviceTier: 'priority' },
  'unknown tier': { ...PLAIN, serviceTier: 'no-such-tier' },
  'region us': { ...WRITTEN, region: 'us' },
  'region eu': { ...CACHED, region: 'eu' },
  'region of a long prompt in a tier': { ...LONG, serviceTier: 'batch', region: 'us' },
}

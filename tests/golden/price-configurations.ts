import type { PriceOptions } from './price-adapter.ts'

/** Price options of an administrator, and the models whose prices they change. */
interface Configuration {
  readonly options: PriceOptions
  readonly models: readonly string[]
}

const TOKENS = {
  input: 3,
  output: 15,
  cached_input: 0.3,
  cache_write: 3.75,
  cache_write_1h: 6,
  reasoning: 12,
  audio_input: 32,
  audio_output: 64,
  image_input: 8,
} as const

/** What no default has, by what is special about it. */
export const CONFIGURATIONS: Readonly<Record<string, Configuration>> = {
  'a ratio that is no decimal': {
    options: { ModelRatio: { odd: 25 / 3, 'gpt-4o': 25 / 3 } },
    models: ['odd', 'gpt-4o'],
  },
  'all ratios': {
    options: {
      ModelRatio: { own: 2.5, 'claude-sonnet-4-5-20250929': 1.7 },
      CompletionRatio: { own: 4.4, 'claude-sonnet-4-5-20250929': 3.3 },
      CacheRatio: { own: 0.12, 'claude-sonnet-4-5-20250929': 0.07 },
      CreateCacheRatio: { own: 1.3, 'claude-sonnet-4-5-20250929': 1.9 },
    },
    models: ['own', 'claude-sonnet-4-5-20250929'],
  },
  'a completion ratio beside the list price': {
    options: { CompletionRatio: { 'gpt-5.5': 7, 'gemini-2.5-pro': 7 } },
    models: ['gpt-5.5', 'gemini-2.5-pro'],
  },
  'the rounded form of a list price': {
    options: { ModelRatio: { 'gpt-5.5': 2.5, 'gemini-2.5-flash': 0.15 } },
    models: ['gpt-5.5', 'gemini-2.5-flash'],
  },
  'a price per call': {
    options: { ModelPrice: { own: 0.123, 'gpt-5.5': 0.04, 'dall-e-3': 0.05 } },
    models: ['own', 'gpt-5.5', 'dall-e-3'],
  },
  'a ratio of zero': {
    options: { ModelRatio: { own: 0, 'gpt-5.5': 0, 'claude-opus-4-8': 0 } },
    models: ['own', 'gpt-5.5', 'claude-opus-4-8'],
  },
  'a call price of zero': { options: { ModelPrice: { own: 0, 'gpt-5.5': 0 } }, models: ['own', 'gpt-5.5'] },
  'no ratios at all': {
    options: { ModelRatio: {}, ModelPrice: {}, CompletionRatio: {}, CacheRatio: {}, CreateCacheRatio: {} },
    models: ['gpt-5.5', 'claude-opus-4-8', 'gemini-3.1-pro-preview', 'dall-e-3', 'whisper-1', 'gpt-image-1'],
  },
  'a price list': {
    options: { ModelPriceLists: { own: { kind: 'chat', prices: TOKENS } } },
    models: ['own', 'own-2026-01-02'],
  },
  'a price list with everything': {
    options: {
      ModelPriceLists: {
        'gpt-5.5': {
          kind: 'chat',
          prices: {
            ...TOKENS,
            tiers: [
              { above: 100_000, input: 6, output: 22.5 },
              { above: 200_000, input: 9 },
            ],
            service_tiers: {
              batch: { input: 1.5, output: 7.5 },
              priority: { input: 6, output: 30, tiers: [{ above: 100_000, input: 12, output: 45 }] },
            },
            regions: { us: 1.1, eu: 1.234_567 },
            search: { low: 0.01, medium: 0.025, high: 0.03 },
            tool_calls: { file_search: 0.0025, code_interpreter: 0.03 },
          },
        },
      },
      ModelRatio: {},
      CompletionRatio: {},
      CacheRatio: {},
      CreateCacheRatio: {},
    },
    models: ['gpt-5.5'],
  },
  'a price list beside other ratios': {
    options: {
      ModelPriceLists: { own: { kind: 'chat', prices: { ...TOKENS, regions: { us: 1.1 } } } },
      ModelRatio: { own: 4 },
      CompletionRatio: { own: 2 },
    },
    models: ['own'],
  },
  'a price list of pictures': {
    options: {
      ModelPriceLists: {
        own: { kind: 'image', prices: { image: 0.04, images: [{ size: '1024x1024', price: 0.05 }] } },
        'gpt-image-1': {
          kind: 'image',
          prices: { input: 5, image_input: 10, image_output: 40, image: 0.07 },
        },
      },
      ModelRatio: {},
    },
    models: ['own', 'gpt-image-1', 'gpt-5.5'],
  },
  'a price list of seconds': {
    options: { ModelPriceLists: { own: { kind: 'transcription', prices: { second_input: 0.0001 } } } },
    models: ['own'],
  },
  'a search price per prompt': {
    options: {
      ModelPriceLists: {
        own: {
          kind: 'chat',
          prices: { input: 1, output: 2, search: { low: 0.01, medium: 0.02, high: 0.03, per_prompt: true } },
        },
      },
    },
    models: ['own'],
  },
  'a free price list': {
    options: {
      ModelPriceLists: {
        own: {
          kind: 'chat',
          prices: { input: 0, output: 0, search: { low: 0.01, medium: 0.01, high: 0.01 } },
        },
      },
    },
    models: ['own'],
  },
  'a free group': { options: { GroupRatio: { one: 0, cheap: 0, odd: 0 } }, models: ['gpt-5.5', 'dall-e-3'] },
  'a dear group': {
    options: { GroupRatio: { one: 1.000_000_1, cheap: 123.456, odd: 7.7e-7 } },
    models: ['gpt-5.5', 'claude-opus-4-8'],
  },
}

/** Names without a figure of their own, whose other ratios follow from rules for their family. */
export const FAMILY_NAMES = [
  'gpt-4-gizmo-*',
  'gpt-4o-gizmo-*',
  'gpt-4-gizmo-g-abc',
  'gpt-4o-gizmo-g-abc',
  'gpt-4-all-of-mine',
  'gpt-4o-mini-tts-of-mine',
  'gpt-realtime-of-mine',
  'gpt-realtime-mini-of-mine',
  'gpt-4o-realtime-preview-of-mine',
  'gpt-4o-mini-realtime-of-mine',
  'gpt-4o-audio-preview-of-mine',
  'gpt-4o-mini-audio-of-mine',
  'gpt-4o-transcribe-of-mine',
  'gpt-image-1-mini-of-mine',
  'gpt-image-1.5-of-mine',
  'gpt-image-9',
  'gpt-4o-of-mine',
  'gpt-4.5-preview-of-mine',
  'gpt-4-turbo-of-mine',
  'gpt-4-1106-of-mine-1106',
  'gpt-4.1-of-mine',
  'gpt-4-of-mine',
  'gpt-5-of-mine',
  'o1-of-mine',
  'o3-of-mine',
  'chatgpt-4o-latest',
  'claude-instant-1-of-mine',
  'claude-3-of-mine',
  'claude-opus-of-mine',
  'gpt-3.5-turbo-of-mine',
  'gpt-3.5-turbo-0125-of-mine',
  'gpt-3.5-turbo-1106-of-mine',
  'mistral-of-mine',
  'gemini-1.5-of-mine',
  'gemini-2.5-pro-preview-of-mine',
  'gemini-2.5-flash-of-mine',
  'gemini-3-of-mine',
  'gemini-of-mine',
  'command-r-plus',
  'command-of-mine',
  'deepseek-chat-of-mine',
  'ERNIE-Speed-of-mine',
  'llama3-8b-8192',
  'gpt-5.5-2026-02-03',
  'claude-opus-4-8-20260528',
  'wholly-unknown',
] as const

/** Models whose figures are recorded in full: one of each provider, kind and price shape. */
export const READABLE_MODELS = [
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-4',
  'gpt-3.5-turbo',
  'gpt-5.5',
  'gpt-5.4',
  'gpt-5.6-sol',
  'o3-mini',
  'gpt-realtime',
  'gpt-4o-audio-preview',
  'gpt-image-1',
  'dall-e-3',
  'tts-1',
  'whisper-1',
  'gpt-4o-transcribe',
  'text-embedding-3-small',
  'claude-opus-4-8',
  'claude-sonnet-4-5-20250929',
  'claude-3-5-haiku-20241022',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-3.1-pro-preview',
  'deepseek-chat',
  'mistral-large-latest',
  'qwen-plus',
  'grok-4',
  'command-r-plus',
  'rerank-v3.5',
  'mj_imagine',
  'suno_music',
] as const

import { expect, test } from 'bun:test'
import { systemOptions } from '#contract/options/system-options.ts'
import { calculateCharge } from '#server/pricing/charge.ts'
import { createPriceBook } from '#server/pricing/price-book.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import { createRealtimeMeter } from '#server/provider-kit/openai-realtime/realtime.ts'
import { optionDefault } from '#server/settings/option-defaults.ts'

/**
 * What a conversation costs on a first start, whose provider reports its figures: each kind of input at its own price, cached or
 * not, and the transcription of the input at the price of the model that transcribes.
 */
const figures = (key: 'ModelRatio' | 'ModelPrice' | 'CompletionRatio' | 'CacheRatio') =>
  systemOptions[key].schema.parse(optionDefault(key))
const book = createPriceBook({
  ModelRatio: figures('ModelRatio'),
  ModelPrice: figures('ModelPrice'),
  CompletionRatio: figures('CompletionRatio'),
  CacheRatio: figures('CacheRatio'),
  GroupRatio: { default: 1 },
})

function chargeOf(model: string, events: readonly JsonObject[]): number {
  const meter = createRealtimeMeter(usage => ({ usage }))
  for (const event of events) meter.fromUpstream(JSON.stringify(event))
  expect(meter.isEstimated()).toBe(false)
  return Number(calculateCharge(book.get({ model, group: 'default' }), meter.usage()).amount)
}

/** 500,000 units are a dollar, so a price of one dollar per million tokens is half a unit for each. */
const units = (...parts: readonly (readonly [tokens: number, dollars: number])[]): number =>
  Math.round(parts.reduce((sum, [tokens, dollars]) => sum + tokens * dollars, 0) / 2)

const done = (input: JsonObject, output: JsonObject): JsonObject => {
  const sum = (parts: JsonObject) =>
    Number(parts.text_tokens) + Number(parts.audio_tokens) + Number(parts.image_tokens ?? 0)
  const usage = {
    input_tokens: sum(input),
    input_token_details: input,
    output_tokens: sum(output),
    output_token_details: output,
  }
  return { type: 'response.done', response: { usage } }
}
const INPUT = {
  text_tokens: 1_000,
  audio_tokens: 2_000,
  image_tokens: 500,
  cached_tokens: 1_700,
  cached_tokens_details: { text_tokens: 600, audio_tokens: 900, image_tokens: 200 },
}
const OUTPUT = { text_tokens: 100, audio_tokens: 300 }
const [NEW_TEXT, NEW_AUDIO, NEW_IMAGE] = [400, 1_100, 300]

test.each([
  ['gpt-realtime', [4, 0.4], [32, 0.4], [5, 0.5], [16, 64]],
  ['gpt-realtime-1.5', [4, 0.4], [32, 0.4], [5, 0.5], [16, 64]],
  ['gpt-realtime-2', [4, 0.4], [32, 0.4], [5, 0.5], [24, 64]],
  ['gpt-realtime-mini', [0.6, 0.06], [10, 0.3], [0.8, 0.08], [2.4, 20]],
  ['gpt-realtime-2.1-mini', [0.6, 0.06], [10, 0.3], [0.8, 0.08], [2.4, 20]],
  ['gpt-realtime-2025-08-28', [4, 0.4], [32, 0.4], [5, 0.5], [16, 64]],
] as const)('%s charges text, sound and pictures, cached and new', (model, ...prices) => {
  const [text, audio, image, made] = prices
  const once = units(
    ...([
      [NEW_TEXT, text[0]],
      [600, text[1]],
      [NEW_AUDIO, audio[0]],
      [900, audio[1]],
    ] as const),
    ...([
      [NEW_IMAGE, image[0]],
      [200, image[1]],
      [100, made[0]],
      [300, made[1]],
    ] as const),
  )
  expect(chargeOf(model, [done(INPUT, OUTPUT)])).toBe(once)
  expect(chargeOf(model, [done(INPUT, OUTPUT), done(INPUT, OUTPUT)])).toBeCloseTo(once * 2, -1)
})

const transcribed = (usage: JsonObject): JsonObject => ({
  type: 'conversation.item.input_audio_transcription.completed',
  transcript: 'four',
  usage,
})
const older = (model: string): JsonObject => ({
  type: 'session.updated',
  session: { input_audio_transcription: { model } },
})
const newer = (model: string): JsonObject => ({
  type: 'session.updated',
  session: { audio: { input: { transcription: { model } } } },
})
const seconds = (count: number): JsonObject => transcribed({ type: 'duration', seconds: count })
const tokens = (audio: number, text: number, made: number): JsonObject =>
  transcribed({
    type: 'tokens',
    input_tokens: audio + text,
    input_token_details: { audio_tokens: audio, text_tokens: text },
    output_tokens: made,
    total_tokens: audio + text + made,
  })

test.each<[string, readonly JsonObject[], number]>([
  ['a minute by whisper-1', [older('whisper-1'), seconds(60)], 3_000],
  ['two halves of a minute by whisper-1', [newer('whisper-1'), seconds(30), seconds(30)], 3_000],
  ['a second and a half by whisper-1', [newer('whisper-1'), seconds(1.5)], 75],
  ['a minute by gpt-realtime-whisper', [newer('gpt-realtime-whisper'), seconds(60)], 8_500],
  [
    'sound by gpt-4o-transcribe',
    [older('gpt-4o-transcribe'), tokens(1_000, 0, 14)],
    units([1_000, 6], [14, 10]),
  ],
  [
    'sound and a prompt by gpt-4o-transcribe',
    [newer('gpt-4o-transcribe'), tokens(900, 100, 20)],
    units([900, 6], [100, 2.5], [20, 10]),
  ],
  [
    'sound by gpt-4o-mini-transcribe',
    [newer('gpt-4o-mini-transcribe'), tokens(1_000, 0, 20)],
    units([1_000, 3], [20, 5]),
  ],
  [
    'by one model and then by another',
    [older('whisper-1'), seconds(60), newer('gpt-4o-mini-transcribe'), tokens(1_000, 0, 20)],
    3_000 + units([1_000, 3], [20, 5]),
  ],
])('a transcription of the input beside gpt-realtime-mini costs its own price: %s', (_, events, amount) => {
  expect(chargeOf('gpt-realtime-mini', events)).toBe(amount)
})

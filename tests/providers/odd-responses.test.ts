import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { CLIENTS } from './odd-requests.ts'
import {
  type Buckets,
  completionOf,
  NATIVE_FORMATS,
  type NativeFormat,
  PROVIDERS,
  promptOf,
  toStream,
  usageIn,
} from './odd-responses.ts'

/**
 * What providers report, wherever they put it and however they end: each kind was reported by users of gateways for one format at
 * one provider. Here every provider answers clients of every format with generated figures, whole and streamed, and each token
 * is charged its own price, once.
 */

/** Dollars per million tokens: no two sums of a few buckets are alike. */
const DOLLARS: Buckets = {
  input: 2,
  cachedInput: 0.34,
  cacheWrite: 2.62,
  audioInput: 18,
  imageInput: 7.4,
  output: 12,
  reasoning: 14.8,
  audioOutput: 66,
  imageOutput: 130,
}
const PRICES = {
  input: DOLLARS.input,
  cached_input: DOLLARS.cachedInput,
  cache_write: DOLLARS.cacheWrite,
  audio_input: DOLLARS.audioInput,
  image_input: DOLLARS.imageInput,
  output: DOLLARS.output,
  reasoning: DOLLARS.reasoning,
  audio_output: DOLLARS.audioOutput,
  image_output: DOLLARS.imageOutput,
}
const LONG = 'x '.repeat(4_000)
const USAGES = 3
const TOKENS_MAX = 300

/** Figures that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return 1 + (state % TOKENS_MAX)
  }
}
const random = createRandom(7)
const NOTHING: Buckets = {
  ...{ input: 0, cachedInput: 0, cacheWrite: 0, audioInput: 0, imageInput: 0 },
  ...{ output: 0, reasoning: 0, audioOutput: 0, imageOutput: 0 },
}
const generate = ({ tells }: NativeFormat): Buckets => ({
  ...NOTHING,
  ...Object.fromEntries(tells.map(bucket => [bucket, random()])),
})
const BUCKETS = [
  ...(['input', 'cachedInput', 'cacheWrite', 'audioInput', 'imageInput'] as const),
  ...(['output', 'reasoning', 'audioOutput', 'imageOutput'] as const),
]
const chargeOf = (used: Buckets): number =>
  Math.round(BUCKETS.reduce((sum, bucket) => sum + used[bucket] * DOLLARS[bucket], 0) / 2)

/** The totals of a client's usage, whatever its format calls them. */
function totalsOf(format: string, text: string) {
  const found = usageIn(text)
  const sum = (...names: readonly string[]) => names.reduce((total, name) => total + (found[name] ?? 0), 0)
  if (format === 'gemini') return [sum('promptTokenCount'), sum('candidatesTokenCount', 'thoughtsTokenCount')]
  if (format === 'openai') return [sum('prompt_tokens'), sum('completion_tokens')]
  const cache = format === 'anthropic' ? ['cache_read_input_tokens', 'cache_creation_input_tokens'] : []
  return [sum('input_tokens', ...cache), sum('output_tokens')]
}

/** The format in which the gateway asked, and how it is answered. */
let script: (native: NativeFormat) => Response = native => Response.json(native.json(NOTHING))
let lastNative: string | undefined
const send: Send = async ({ url }) => {
  const [name, native] = Object.entries(NATIVE_FORMATS).find(([, { path }]) => path.test(url)) ?? []
  if (!native) throw new Error(`no format has the path of ${url}`)
  lastNative = name
  return receivedResponse(script(native))
}

let relay: TestRelay
let key: string
beforeAll(async () => {
  const models = Object.keys(PROVIDERS)
  const prices = testPrices({
    ModelPriceLists: Object.fromEntries(models.map(model => [model, { kind: 'chat', prices: PRICES }])),
  })
  relay = await TestRelay.open({ send, prices, wallet: 1_000_000_000 })
  for (const [model, type] of Object.entries(PROVIDERS))
    await relay.addChannel({
      type,
      models: model,
      base_url: `https://provider.test${model === 'custom' ? '/v1/chat/completions' : ''}`,
    })
  key = await relay.addToken()
})
afterAll(() => relay.close())

async function ask(format: string, model: string, isStream: boolean) {
  const toRequest = CLIENTS.get(format)
  if (!toRequest) throw new Error(`there is no client of ${format}`)
  const { path, body } = toRequest(model, isStream, { earlierText: LONG, tokens: 2_000 })
  const wantsUsage = isStream && format === 'openai' && { stream_options: { include_usage: true } }
  const response = await relay.request(path, key, { ...body, ...wantsUsage })
  const text = await response.text()
  const row = await relay.db
    .selectFrom('logs')
    .select('quota')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { status: response.status, text, charge: Number(row.quota) }
}

const FAILED = /"error":\{|event: error|response\.failed/

/** What a client of the format receives for a script, and what is charged. */
async function expectRight(format: string, model: string, place: string | undefined): Promise<void> {
  for (let turn = 0; turn < USAGES; turn += 1) {
    let used = NOTHING
    script = native => {
      used = generate(native)
      const stream = place === undefined ? undefined : native.streams[place]
      return stream ? toStream(stream(used), turn % 2 === 0) : Response.json(native.json(used))
    }
    const { status, text, charge } = await ask(format, model, place !== undefined)
    const hasText = text.includes('ok') || text.includes('"k"')
    const received = { status, charge, isFailed: FAILED.test(text), hasText, totals: totalsOf(format, text) }
    expect({ place, used, ...received }).toEqual({
      ...{ place, used, status: 200, charge: chargeOf(used), isFailed: false, hasText: true },
      totals: [promptOf(used), completionOf(used)],
    })
  }
}

/** The format in which a provider is asked by the client of a format. */
async function findNative(format: string, model: string): Promise<NativeFormat> {
  await ask(format, model, false)
  const native = NATIVE_FORMATS[lastNative ?? '']
  if (!native) throw new Error(`${model} was not asked`)
  return native
}

for (const format of CLIENTS.keys())
  describe(`a client of ${format}`, () => {
    test.each(Object.keys(PROVIDERS))('is charged for each bucket by %s, whole and streamed', async model => {
      const native = await findNative(format, model)
      for (const place of [undefined, ...Object.keys(native.streams)]) await expectRight(format, model, place)
    })
  })

test('leaves the books right', async () => {
  expect((await auditLedger(relay.db)).drift).toBe(0)
  const user = await relay.db.selectFrom('users').select('held_quota').executeTakeFirstOrThrow()
  expect(user.held_quota).toBe(0)
})

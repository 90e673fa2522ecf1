import { expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { createPriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const GEMINI = 24
const OPENROUTER = 20
const OPENAI = 1

const IMAGE_PART = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
const IMAGE_URL = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
const PROMPT = 'x '.repeat(340)
const CHAT = { messages: [{ role: 'user', content: PROMPT }] }
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] }

const toEvents = (...events: readonly object[]): Response =>
  new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

/** 326 tokens in; 2,340 tokens out beside 337 of thoughts. */
const toGemini = (details?: readonly object[]) => ({
  candidates: [{ content: { parts: [{ text: 'Here: ' }, IMAGE_PART] }, finishReason: 'STOP' }],
  usageMetadata: {
    promptTokenCount: 326,
    candidatesTokenCount: 2_340,
    thoughtsTokenCount: 337,
    totalTokenCount: 3_003,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 326 }],
    ...(details && { candidatesTokensDetails: details }),
  },
})
const DRAWN = toGemini([{ modality: 'IMAGE', tokenCount: 2_000 }])
/** Dollars per million: 2 in, 12 for text and thoughts, 120 for images. */
const DRAWN_AMOUNT = (326 * 2 + 2_000 * 120 + 340 * 12 + 337 * 12) / 2

const toRouted = (details: object) => ({
  choices: [{ message: { role: 'assistant', content: 'Here', images: [IMAGE_URL] }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 22, completion_tokens: 1_140, total_tokens: 1_162, ...details },
})
const ROUTED_DETAILS = { completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1_120 } }
const ROUTED_AMOUNT = (22 * 0.5 + 1_120 * 60 + 20 * 3) / 2
const ROUTED_STREAM = [
  { choices: [{ index: 0, delta: { content: 'Here', images: [IMAGE_URL] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: toRouted(ROUTED_DETAILS).usage },
]

/** An SVG is written by another model, whose prices are dollars per million: 2 in, 12 out. */
const SVG_USAGE = { model: 'gpt-5.6-terra', input_tokens: 300, output_tokens: 90, reasoning_tokens: 20 }
const SVG_DOLLARS = 300 * 2 + 90 * 12
const SVG_CALL = { id: 'i', type: 'image_generation_call', status: 'completed', result: 'aGk=' }
const DRAWN_RESPONSE = {
  id: 'r',
  status: 'completed',
  output: [{ ...SVG_CALL, svg_usage: SVG_USAGE }],
  tools: [{ type: 'image_generation', model: 'gpt-image-1.5' }],
  usage: { input_tokens: 20, output_tokens: 4 },
  tool_usage: {
    web_search: { num_requests: 0 },
    image_gen: {
      input_tokens: 50,
      input_tokens_details: { text_tokens: 10, image_tokens: 40 },
      cached_tokens: 30,
      cached_tokens_details: { cached_text_tokens: 5, cached_image_tokens: 25 },
      output_tokens: 1_100,
      output_tokens_details: { text_tokens: 44, image_tokens: 1_056 },
    },
  },
}
const DRAWN_DOLLARS =
  20 * 2 + 4 * 12 + SVG_DOLLARS + 5 * 5 + 15 * 8 + 5 * 1.25 + 25 * 2 + 44 * 10 + 1_056 * 32
const DRAW = { input: 'draw', tools: [{ type: 'image_generation', svg: { model: 'gpt-5.6-terra' } }] }
const DRAWN_EVENTS = [
  { type: 'response.created', response: { id: 'r' } },
  { type: 'response.output_item.done', output_index: 0, item: DRAWN_RESPONSE.output[0] },
  { type: 'response.completed', response: DRAWN_RESPONSE },
]

interface ModalityCase {
  readonly type: number
  readonly model: string
  readonly path: string
  readonly body: object
  readonly upstream: () => Response
  readonly amount: number
}

const toCase = (
  [type, model]: readonly [number, string],
  [path, body]: readonly [string, object],
  [response, amount]: readonly [object | (() => Response), number],
): ModalityCase => ({
  type,
  model,
  path,
  body,
  upstream: typeof response === 'function' ? () => response() : () => Response.json(response),
  amount,
})

const PRO = [GEMINI, 'gemini-3-pro-image'] as const
const FLASH = [OPENROUTER, 'gemini-3.1-flash-image'] as const
const IMAGES = [OPENAI, 'gpt-image-1.5'] as const
const TERRA = [OPENAI, 'gpt-5.6-terra'] as const
const chat = ['/v1/chat/completions', CHAT] as const
const chatStream = ['/v1/chat/completions', { ...CHAT, stream: true }] as const

const CASES: Readonly<Record<string, ModalityCase>> = {
  'chat at Gemini': toCase(PRO, chat, [DRAWN, DRAWN_AMOUNT]),
  'a streamed chat at Gemini': toCase(PRO, chatStream, [() => toEvents(DRAWN), DRAWN_AMOUNT]),
  "Gemini's own format": toCase(
    PRO,
    ['/v1beta/models/gemini-3-pro-image:generateContent', CONTENTS],
    [DRAWN, DRAWN_AMOUNT],
  ),
  "a stream in Gemini's own format": toCase(
    PRO,
    ['/v1beta/models/gemini-3-pro-image:streamGenerateContent?alt=sse', CONTENTS],
    [() => toEvents(DRAWN), DRAWN_AMOUNT],
  ),
  'an Anthropic client at Gemini': toCase(
    PRO,
    ['/v1/messages', { ...CHAT, max_tokens: 5_000 }],
    [DRAWN, DRAWN_AMOUNT],
  ),
  'output whose modalities Gemini does not tell, as images': toCase(PRO, chat, [
    toGemini(),
    (326 * 2 + 2_340 * 120 + 337 * 12) / 2,
  ]),
  'text of a model for images': toCase(PRO, chat, [
    { ...toGemini(), candidates: [{ content: { parts: [{ text: 'No.' }] }, finishReason: 'STOP' }] },
    (326 * 2 + (2_340 + 337) * 12) / 2,
  ]),
  'chat at OpenRouter': toCase(FLASH, chat, [toRouted(ROUTED_DETAILS), ROUTED_AMOUNT]),
  'a streamed chat at OpenRouter': toCase(FLASH, chatStream, [
    () => toEvents(...ROUTED_STREAM),
    ROUTED_AMOUNT,
  ]),
  'output whose modalities OpenRouter does not tell, as images': toCase(FLASH, chat, [
    toRouted({}),
    (22 * 0.5 + 1_140 * 60) / 2,
  ]),
  'images by tokens': toCase(
    IMAGES,
    ['/v1/images/generations', { prompt: 'a cat' }],
    [
      {
        created: 1,
        data: [{ b64_json: 'aGk=' }],
        usage: {
          input_tokens: 50,
          input_tokens_details: { text_tokens: 10, image_tokens: 40 },
          output_tokens: 1_100,
          output_tokens_details: { text_tokens: 44, image_tokens: 1_056 },
        },
      },
      (10 * 5 + 40 * 8 + 44 * 10 + 1_056 * 32) / 2,
    ],
  ),
  'an image whose output is not told apart': toCase(
    IMAGES,
    ['/v1/images/generations', { prompt: 'a cat' }],
    [
      { created: 1, data: [{ b64_json: 'aGk=' }], usage: { input_tokens: 10, output_tokens: 1_056 } },
      (10 * 5 + 1_056 * 32) / 2,
    ],
  ),
  'an SVG, by the model that wrote it': toCase(
    IMAGES,
    ['/v1/images/generations', { prompt: 'a cat', output_format: 'svg', svg: { model: 'gpt-5.6-terra' } }],
    [
      {
        created: 1,
        data: [{ b64_json: 'aGk=' }],
        svg_usage: SVG_USAGE,
        usage: { input_tokens: 10, output_tokens: 1_056 },
      },
      (10 * 5 + 1_056 * 32 + SVG_DOLLARS) / 2,
    ],
  ),
  'an SVG of a tool': toCase(TERRA, ['/v1/responses', DRAW], [DRAWN_RESPONSE, DRAWN_DOLLARS / 2]),
  'a streamed SVG of a tool': toCase(
    TERRA,
    ['/v1/responses', { ...DRAW, stream: true }],
    [() => toEvents(...DRAWN_EVENTS), DRAWN_DOLLARS / 2],
  ),
  'sound that was cached': toCase([OPENAI, 'gpt-realtime-mini'], chat, [
    {
      choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 1_000,
        prompt_tokens_details: {
          audio_tokens: 600,
          cached_tokens: 500,
          cached_tokens_details: { text_tokens: 100, audio_tokens: 400 },
        },
        completion_tokens: 10,
      },
    },
    (300 * 0.6 + 200 * 10 + 100 * 0.06 + 400 * 0.3 + 10 * 2.4) / 2,
  ]),
}

test.each(Object.entries(CASES))('charges each modality its own price: %s', async (_, given) => {
  const { type, model, path, body, upstream, amount } = given
  const relay = await TestRelay.open({
    prices: createPriceBook({ GroupRatio: { default: 1 } }),
    send: sendThrough(async () => upstream()),
  })
  await relay.addChannel({ type, models: model })
  const isNative = path.includes(model)
  const response = await relay.request(path, await relay.addToken(), isNative ? body : { model, ...body })
  await response.text()
  expect(response.status).toBe(200)
  const row = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  expect({ quota: row.quota, drift }).toEqual({ quota: Math.round(amount), drift: 0 })
})

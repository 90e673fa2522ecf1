import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from '@google/genai'
import {
  CITY,
  CITY_SCHEMA,
  type DialectSite,
  IMAGE,
  KINDS,
  OUTPUT_TOKENS,
  QUESTION,
  SENTENCE,
  startDialectSite,
} from '../harness/dialect-site.ts'
import { waitForLog } from '../harness/find-log.ts'
import { readNamespace } from '../harness/lab-namespace.ts'

const EMBEDDER = 'gemini-embedding-001'
const tools = [
  {
    functionDeclarations: ['get_weather', 'get_time'].map(name => ({
      name,
      description: 'Says something of a city',
      parametersJsonSchema: CITY_SCHEMA,
    })),
  },
]

let site: DialectSite
let google: GoogleGenAI

beforeAll(async () => {
  site = await startDialectSite([EMBEDDER])
  google = new GoogleGenAI({ apiKey: site.key, httpOptions: { baseUrl: site.gateway.url } })
})

afterAll(() => site?.stop())

const USAGE = { promptTokenCount: 4, candidatesTokenCount: OUTPUT_TOKENS, totalTokenCount: 4 + OUTPUT_TOKENS }
const requestIdOf = (reply: { sdkHttpResponse?: { headers?: Record<string, string> } }): string =>
  reply.sdkHttpResponse?.headers?.['x-oneapi-request-id'] ?? ''

describe.each(KINDS)('the official Google client through $provider', ({ provider, model }) => {
  test('reads a JSON response with finish reason and usage, and charges for it', async () => {
    const reply = await google.models.generateContent({ model, contents: QUESTION })
    expect(reply.text).toBe(SENTENCE)
    expect(reply.candidates?.[0]).toMatchObject({ finishReason: 'STOP' })
    expect(reply.usageMetadata).toMatchObject(USAGE)
    const row = await waitForLog(site.root, requestIdOf(reply))
    expect(row).toMatchObject({ model_name: model, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
    expect(row.quota).toBeGreaterThan(4)
  })

  test('reads an interaction, and its stream', async () => {
    const { id, status, output_text, usage } = await google.interactions.create({ model, input: QUESTION })
    expect([status, output_text]).toEqual(['completed', SENTENCE])
    expect(usage).toMatchObject({ total_input_tokens: 4, total_output_tokens: OUTPUT_TOKENS })
    expect(id).not.toBe('')
    const stream = await google.interactions.create({ model, input: QUESTION, stream: true })
    const events = await Array.fromAsync(stream)
    const texts = events.map(event =>
      event.event_type === 'step.delta' && event.delta.type === 'text' ? event.delta.text : '',
    )
    expect(texts.join('')).toBe(SENTENCE)
    expect(events.at(-1)).toMatchObject({
      event_type: 'interaction.completed',
      interaction: { status: 'completed', usage: { total_output_tokens: OUTPUT_TOKENS } },
    })
  })

  test('reads the same content as a stream, and charges the same', async () => {
    const jsonResponse = await google.models.generateContent({ model, contents: QUESTION })
    const stream = await google.models.generateContentStream({ model, contents: QUESTION })
    const frames = await Array.fromAsync(stream)
    const last = frames.at(-1)
    expect(frames.length).toBeGreaterThan(2)
    expect(frames.map(frame => frame.text ?? '').join('')).toBe(SENTENCE)
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP' as never)
    expect(last?.usageMetadata).toMatchObject(USAGE)
    const [requested, streamed] = await Promise.all(
      [jsonResponse, frames[0] ?? {}].map(reply => waitForLog(site.root, requestIdOf(reply))),
    )
    expect(streamed).toMatchObject({ is_stream: true, completion_tokens: OUTPUT_TOKENS })
    expect(streamed?.quota).toBe(requested?.quota ?? -1)
  })

  test.each([false, true])(
    'receives two function calls with their arguments (streamed: %p)',
    async isStream => {
      const body = { model, contents: 'weather? [lab: tools-2]', config: { tools } }
      const responses = isStream
        ? await Array.fromAsync(await google.models.generateContentStream(body))
        : [await google.models.generateContent(body)]
      const calls = responses.flatMap(reply => reply.functionCalls ?? [])
      expect(calls.map(({ name, args }) => ({ name, args }))).toEqual([
        { name: 'get_weather', args: CITY },
        { name: 'get_time', args: CITY },
      ])
      expect(responses.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP' as never)
    },
  )

  test('sends a function result and receives text', async () => {
    const requested = { role: 'user', parts: [{ text: 'weather? [lab: tools]' }] }
    const config = { tools, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } } }
    const first = await google.models.generateContent({ model, contents: [requested], config })
    const spokenTexts = first.candidates?.[0]?.content
    const [call] = first.functionCalls ?? []
    if (!spokenTexts || !call?.name) throw new Error('expected a function call, found none')
    const { id, name } = call
    const result = { functionResponse: { name, response: { celsius: 21 }, ...(id !== undefined && { id }) } }
    const contents = [requested, spokenTexts, { role: 'user', parts: [result] }]
    const second = await google.models.generateContent({ model, contents, config })
    expect(second.text).toBe(SENTENCE)
    expect((await readNamespace(site.lab, provider)).last?.body).toContain('celsius')
  })

  test.each([false, true])('sends an image, which reaches the provider (streamed: %p)', async isStream => {
    const contents = [{ text: 'what is this?' }, { inlineData: { mimeType: 'image/png', data: IMAGE } }]
    const responses = isStream
      ? await Array.fromAsync(await google.models.generateContentStream({ model, contents }))
      : [await google.models.generateContent({ model, contents })]
    expect(responses.map(reply => reply.text ?? '').join('')).toBe(SENTENCE)
    expect(responses.at(-1)?.usageMetadata?.promptTokenCount).toBeGreaterThan(85)
    expect((await readNamespace(site.lab, provider)).last?.body).toContain(IMAGE)
  })

  test('stops at its token limit, and receives thoughts separately', async () => {
    const config = { maxOutputTokens: 5 }
    const cut = await google.models.generateContent({ model, contents: QUESTION, config })
    expect(cut.candidates?.[0]?.finishReason).toBe('MAX_TOKENS' as never)
    const thinking = await google.models.generateContent({ model, contents: 'think! [lab: reasoning-6]' })
    const parts = thinking.candidates?.[0]?.content?.parts ?? []
    expect(parts.find(({ thought }) => thought)?.text).toBe('First I look at the question,')
    expect(thinking.text).toBe(SENTENCE)
  })

  test('receives an error in the format of its own API', async () => {
    const failing = google.models.generateContent({ model, contents: '[lab: overloaded]' })
    const error = await failing.catch((thrown: unknown) => thrown)
    if (!(error instanceof ApiError)) throw new Error('expected an error of the API')
    const reported = JSON.parse(error.message)
    expect(reported.error).toMatchObject({ code: error.status, status: expect.stringMatching(/^[A-Z_]+$/) })
  })

  test('receives an error inside a stream', async () => {
    const stream = await google.models.generateContentStream({ model, contents: '[lab: error-event-3]' })
    const error = await Array.fromAsync(stream).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
  })

  test('counts tokens without a completion', async () => {
    const { totalTokens } = await google.models.countTokens({ model, contents: QUESTION })
    expect(totalTokens).toBeGreaterThan(2)
  })

  test('sends a stream without SSE as one JSON array', async () => {
    const reply = await fetch(`${site.gateway.url}/v1beta/models/${model}:streamGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': site.key },
      body: JSON.stringify({ contents: [{ parts: [{ text: QUESTION }] }] }),
    })
    expect(reply.headers.get('content-type')).toStartWith('application/json')
    const frames = JSON.parse(await reply.text())
    const texts = frames.map((frame: { candidates: [{ content: { parts: [{ text: string }] } }] }) =>
      frame.candidates[0].content.parts.map(({ text }) => text).join(''),
    )
    expect(texts.join('')).toBe(SENTENCE)
  })
})

test('embeds one or several texts in order', async () => {
  const { embeddings } = await google.models.embedContent({ model: EMBEDDER, contents: ['one', 'two words'] })
  expect(embeddings).toHaveLength(2)
  expect(embeddings?.[0]?.values?.length).toBeGreaterThan(1)
  expect(embeddings?.[0]?.values).not.toEqual(embeddings?.[1]?.values ?? [])
  const reply = await fetch(`${site.gateway.url}/v1beta/models/${EMBEDDER}:embedContent?key=${site.key}`, {
    method: 'POST',
    body: JSON.stringify({ content: { parts: [{ text: 'one' }] } }),
  })
  expect(await reply.json()).toEqual({ embedding: { values: embeddings?.[0]?.values } })
})

test('lists models in the format that the client expects', async () => {
  const models = await Array.fromAsync(await google.models.list({ config: { pageSize: 2 } }))
  const names = [...KINDS.map(({ model }) => model), EMBEDDER].map(model => `models/${model}`)
  expect(models.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(await google.models.get({ model: KINDS[0].model })).toMatchObject({
    name: `models/${KINDS[0].model}`,
  })
})

test('rejects an unknown key in the format of the client API', async () => {
  const stranger = new GoogleGenAI({ apiKey: 'sk-nobody', httpOptions: { baseUrl: site.gateway.url } })
  const error = await stranger.models
    .generateContent({ model: KINDS[0].model, contents: QUESTION })
    .catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error('expected an error of the API')
  expect(JSON.parse(error.message).error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, type LanguageModel, streamText, type ToolSet } from 'ai'
import { z } from 'zod'
import {
  CITY,
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

const city = {
  description: 'Says something of a city',
  inputSchema: z.object({ city: z.string(), days: z.int() }),
}
const tools: ToolSet = { get_weather: city, get_time: city }

let site: DialectSite

beforeAll(async () => {
  site = await startDialectSite()
})

afterAll(() => site?.stop())

/** The packages of the Vercel AI SDK, each in the dialect of its provider. */
const PACKAGES: Readonly<Record<string, (model: string) => LanguageModel>> = {
  'chat completions': model =>
    createOpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1` }).chat(model),
  responses: model => createOpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1` }).responses(model),
  anthropic: model => createAnthropic({ apiKey: site.key, baseURL: `${site.gateway.url}/v1` })(model),
  google: model =>
    createGoogleGenerativeAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1beta` })(model),
}
const pairs = Object.entries(PACKAGES).flatMap(([dialect, open]) =>
  KINDS.map(({ provider, model }) => ({
    dialect,
    provider,
    open: () => ({ model: open(model), maxRetries: 0, maxOutputTokens: 500 }),
    name: model,
  })),
)
const requestIdOf = (headers: Readonly<Record<string, string>> | undefined): string =>
  headers?.['x-oneapi-request-id'] ?? ''
const imagePart = [
  {
    role: 'user' as const,
    content: [
      { type: 'text' as const, text: 'what is this?' },
      { type: 'image' as const, image: IMAGE, mediaType: 'image/png' },
    ],
  },
]

describe.each(pairs)('the Vercel AI SDK speaking $dialect to $provider', ({ provider, open, name }) => {
  test('reads a JSON response with its usage, and charges for it', async () => {
    const reply = await generateText({ ...open(), prompt: QUESTION })
    expect(reply).toMatchObject({ text: SENTENCE, finishReason: 'stop' })
    expect(reply.usage).toMatchObject({ inputTokens: 4, outputTokens: OUTPUT_TOKENS })
    const row = await waitForLog(site.root, requestIdOf(reply.response.headers))
    expect(row).toMatchObject({ model_name: name, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
  })

  test('reads the same content as a stream', async () => {
    const reply = streamText({ ...open(), prompt: QUESTION })
    expect((await Array.fromAsync(reply.textStream)).join('')).toBe(SENTENCE)
    expect(await reply.finishReason).toBe('stop')
    expect(await reply.usage).toMatchObject({ inputTokens: 4, outputTokens: OUTPUT_TOKENS })
    const row = await waitForLog(site.root, requestIdOf((await reply.response).headers))
    expect(row).toMatchObject({ is_stream: true, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
  })

  test.each([false, true])('receives two tool calls with their input (streamed: %p)', async isStream => {
    const body = { ...open(), tools, prompt: 'weather? [lab: tools-2]' }
    const reply = isStream ? streamText(body) : await generateText(body)
    const calls = await reply.toolCalls
    expect(calls.map(({ toolName, input }) => ({ toolName, input }))).toEqual([
      { toolName: 'get_weather', input: CITY },
      { toolName: 'get_time', input: CITY },
    ])
    expect(await reply.finishReason).toBe('tool-calls')
  })

  test.each([false, true])('sends an image, which reaches the provider (streamed: %p)', async isStream => {
    const body = { ...open(), messages: imagePart }
    const reply = isStream ? streamText(body) : await generateText(body)
    expect(await reply.text).toBe(SENTENCE)
    expect((await reply.usage).inputTokens).toBeGreaterThan(85)
    expect((await readNamespace(site.lab, provider)).last?.body).toContain(IMAGE)
  })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { AzureOpenAI } from 'openai'
import { type DialectSite, KINDS, QUESTION, SENTENCE, startDialectSite } from '../harness/dialect-site.ts'
import { waitForLog } from '../harness/find-log.ts'

let site: DialectSite

beforeAll(async () => {
  site = await startDialectSite()
})

afterAll(() => site?.stop())

const [{ model: openaiModel }, , { model: geminiModel }] = KINDS
const chat = { model: openaiModel, messages: [{ role: 'user' as const, content: QUESTION }] }

test("Azure's clients reach a deployment by path and `api-key`, and the newer API below /openai/v1", async () => {
  const azure = new AzureOpenAI({
    endpoint: site.gateway.url,
    apiKey: site.key,
    apiVersion: '2025-04-01-preview',
    deployment: openaiModel,
    maxRetries: 0,
  })
  const { choices } = await azure.chat.completions.create({ ...chat, model: '' })
  expect(choices[0]?.message.content).toBe(SENTENCE)
  const stream = await azure.chat.completions.create({ ...chat, stream: true })
  const texts = (await Array.fromAsync(stream)).map(chunk => chunk.choices[0]?.delta.content ?? '')
  expect(texts.join('')).toBe(SENTENCE)
  const newer = new OpenAI({ baseURL: `${site.gateway.url}/openai/v1`, apiKey: site.key, maxRetries: 0 })
  expect((await newer.responses.create({ model: openaiModel, input: QUESTION })).output_text).toBe(SENTENCE)
})

test("OpenAI's client reaches Gemini's OpenAI format, with its models", async () => {
  const openai = new OpenAI({
    baseURL: `${site.gateway.url}/v1beta/openai/`,
    apiKey: site.key,
    maxRetries: 0,
  })
  const { choices } = await openai.chat.completions.create({ ...chat, model: geminiModel })
  expect(choices[0]?.message.content).toBe(SENTENCE)
  const models = await Array.fromAsync(openai.models.list())
  expect(models.map(({ id }) => id)).toContain(geminiModel)
})

test.each([
  ['v1alpha', { apiVersion: 'v1alpha' }],
  ['Vertex AI in express mode', { vertexai: true }],
  ['Vertex AI with a project', { vertexai: true, apiVersion: 'v1/projects/p/locations/global' }],
])("Google's client reaches %s", async (_, options) => {
  const google = new GoogleGenAI({
    apiKey: site.key,
    ...options,
    httpOptions: { baseUrl: site.gateway.url },
  })
  const reply = await google.models.generateContent({ model: geminiModel, contents: QUESTION })
  expect(reply.text).toBe(SENTENCE)
  const requestId = reply.sdkHttpResponse?.headers?.['x-oneapi-request-id'] ?? ''
  expect((await waitForLog(site.root, requestId)).quota).toBeGreaterThan(0)
})

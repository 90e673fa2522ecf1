import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { type DialectSite, KINDS, SENTENCE, startDialectSite } from '../harness/dialect-site.ts'
import { setOptions } from '../harness/set-options.ts'

let site: DialectSite

beforeAll(async () => {
  site = await startDialectSite()
  await setOptions(site.root, { KeepAliveSeconds: 1 })
})

afterAll(() => site?.stop())

const QUIET_MS = 2_600
const quiet = `hello [lab:slow-headers-${QUIET_MS}+first-token-${QUIET_MS}]`
const failing = `hello [lab:slow-headers-${QUIET_MS}+status-400]`
const messages = (content: string) => [{ role: 'user' as const, content }]

const clients = {
  async 'chat of OpenAI'(model: string, content: string) {
    const openai = new OpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
    const stream = await openai.chat.completions.create({ model, messages: messages(content), stream: true })
    const chunks = await Array.fromAsync(stream)
    return chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '')
  },
  async 'responses of OpenAI'(model: string, content: string) {
    const openai = new OpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
    const stream = openai.responses.stream({ model, input: content })
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    const { status, error } = await stream.finalResponse()
    if (status !== 'completed') throw new Error(error?.message)
    return deltas
  },
  async 'messages of Anthropic'(model: string, content: string) {
    const anthropic = new Anthropic({ apiKey: site.key, baseURL: site.gateway.url, maxRetries: 0 })
    const stream = anthropic.messages.stream({ model, max_tokens: 500, messages: messages(content) })
    return [await stream.finalText()]
  },
  async 'contents of Google'(model: string, contents: string) {
    const google = new GoogleGenAI({ apiKey: site.key, httpOptions: { baseUrl: site.gateway.url } })
    const stream = await google.models.generateContentStream({ model, contents })
    const replies = await Array.fromAsync(stream)
    return replies.map(reply => reply.text ?? '')
  },
}

/** What each client makes of the stream of each provider, all at once. */
const readAll = (content: string): Promise<readonly string[]> =>
  Promise.all(
    Object.values(clients).flatMap(read =>
      KINDS.map(({ model }) =>
        read(model, content).then(
          texts => texts.join(''),
          (error: Error) => `failed: ${error.message}`,
        ),
      ),
    ),
  )

test('official clients read streams that are quiet before and after their head', async () => {
  for (const text of await readAll(quiet)) expect(text).toBe(SENTENCE)
}, 30_000)

test('official clients throw an error that comes within a quiet stream', async () => {
  for (const text of await readAll(failing)) expect(text).toMatch(/^failed: .*The lab returns status 400/s)
}, 30_000)

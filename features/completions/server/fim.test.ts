import { afterEach, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import { receivedBody, receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'

const MISTRAL = 42
const DEEPSEEK = 43
const ANTHROPIC = 14
const FIM = '/v1/fim/completions'
const USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }

let relay: TestRelay | undefined
afterEach(() => relay?.close())

const toStream = (chunks: readonly object[]): Response =>
  new Response(`${chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })

/** Responses of Mistral and of a provider of text completions. */
const MISTRAL_REPLY = {
  id: 'm',
  object: 'chat.completion',
  model: 'codestral-latest',
  choices: [{ index: 0, message: { role: 'assistant', content: 'return a' }, finish_reason: 'stop' }],
  usage: USAGE,
}
const TEXT_REPLY = {
  id: 't',
  object: 'text_completion',
  choices: [{ index: 0, text: 'return a', finish_reason: 'stop' }],
  usage: USAGE,
}
const MISTRAL_CHUNKS = [
  { id: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'return' } }] },
  { id: 'm', choices: [{ index: 0, delta: { content: ' a' }, finish_reason: 'stop' }], usage: USAGE },
]
const TEXT_CHUNKS = [
  { id: 't', choices: [{ index: 0, text: 'return' }] },
  { id: 't', choices: [{ index: 0, text: ' a', finish_reason: 'stop' }] },
  { id: 't', choices: [], usage: USAGE },
]

async function complete(type: number, path: string, fields: JsonObject, model = 'codestral-latest') {
  const sent: { readonly url: string; readonly body: JsonObject }[] = []
  const send: Send = async ({ url, body }) => {
    const json = JSON.parse(await new Response(receivedBody(body) ?? '').text())
    sent.push({ url, body: json })
    const isMistral = url.includes('/fim/')
    if (json.stream) return receivedResponse(toStream(isMistral ? MISTRAL_CHUNKS : TEXT_CHUNKS))
    return receivedResponse(Response.json(isMistral ? MISTRAL_REPLY : TEXT_REPLY))
  }
  relay = await TestRelay.open({ send })
  await relay.addChannel({
    type,
    base_url: 'http://provider.test',
    model_mapping: JSON.stringify({ lab: model }),
  })
  const response = await relay.request(path, await relay.addToken(), { model: 'lab', ...fields })
  const text = await response.text()
  const logs = await relay.db.selectFrom('logs').select(['quota', 'prompt_tokens']).execute()
  return { status: response.status, text, sent, logs }
}

const PREFIX = { prompt: 'def f(a):', suffix: 'f(1)', max_tokens: 20 }

test.each([
  [MISTRAL, 'http://provider.test/v1/fim/completions', { random_seed: 7, min_tokens: 2 }],
  [DEEPSEEK, 'http://provider.test/beta/completions', { seed: 7 }],
])('completes between prompt and suffix at provider %d, in the format of chat', async (type, url, fields) => {
  const body = { ...PREFIX, random_seed: 7, ...(type === MISTRAL && { min_tokens: 2 }) }
  const { status, text, sent, logs } = await complete(type, FIM, body)
  expect(status).toBe(200)
  expect(sent).toEqual([{ url, body: { model: 'codestral-latest', ...PREFIX, ...fields } }])
  expect(JSON.parse(text)).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'return a' }, finish_reason: 'stop' }],
    usage: USAGE,
  })
  expect(logs).toEqual([{ quota: expect.any(Number), prompt_tokens: 9 }])
  expect(logs[0]?.quota).toBeGreaterThan(0)
})

test.each([MISTRAL, DEEPSEEK])('streams the completion of provider %d in the format of chat', async type => {
  const { status, text } = await complete(type, FIM, { ...PREFIX, stream: true })
  expect(status).toBe(200)
  const events = text.split('\n\n').filter(Boolean)
  expect(events.at(-1)).toBe('data: [DONE]')
  const chunks = events.slice(0, -1).map(event => JSON.parse(event.slice('data: '.length)))
  expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe('return a')
  expect(chunks.every(({ object }) => object === 'chat.completion.chunk')).toBe(true)
  expect(chunks.at(-1)?.usage).toMatchObject(USAGE)
})

test('serves text completions with a suffix by Mistral, too', async () => {
  const { status, text, sent } = await complete(MISTRAL, '/v1/completions', { ...PREFIX, seed: 7 })
  expect([status, sent[0]?.url]).toEqual([200, 'http://provider.test/v1/fim/completions'])
  expect(sent[0]?.body).toEqual({ model: 'codestral-latest', ...PREFIX, random_seed: 7 })
  expect(JSON.parse(text)).toMatchObject({ object: 'text_completion', choices: [{ text: 'return a' }] })
})

test.each([
  [ANTHROPIC, 'codestral-latest'],
  [MISTRAL, 'mistral-large-latest'],
])('rejects what provider %d cannot complete with %s, without a call', async (type, model) => {
  const { status, text, sent, logs } = await complete(type, FIM, PREFIX, model)
  expect([status, sent]).toEqual([404, []])
  expect(text).toContain('completions')
  expect(logs.every(({ quota }) => quota === 0)).toBe(true)
})

test('rejects several prompts', async () => {
  const { status, text } = await complete(MISTRAL, FIM, { prompt: ['a', 'b'] })
  expect(status).toBe(400)
  expect(text).toContain('prompt: found a list, needed text')
})

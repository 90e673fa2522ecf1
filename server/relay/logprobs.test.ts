import { afterEach, expect, test } from 'bun:test'
import type { Send } from '../http-client/send.ts'
import { asArray, asObject, type JsonObject } from '../provider-kit/json.ts'
import { readGeminiLogprobs } from '../provider-kit/logprobs.ts'
import { receivedBody, receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

const DEEPSEEK = 43
const GEMINI = 24
const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text)]
const likely = (token: string, logprob: number) => ({ token, logprob, bytes: bytesOf(token) })
const TOKENS = [
  { ...likely('It', -0.1), top_logprobs: [likely('It', -0.1), likely('So', -2)] },
  { ...likely(' is', -0.2), top_logprobs: [likely(' is', -0.2), likely('’s', -3)] },
] as const

/** The providers' responses, of one event for each token in a stream. */
const CHAT = {
  id: 'c',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'It is' },
      logprobs: { content: TOKENS },
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
}
const CHAT_CHUNKS = [
  ...TOKENS.map(token => ({
    id: 'c',
    choices: [{ index: 0, delta: { content: token.token }, logprobs: { content: [token] } }],
  })),
  { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE },
]

const toGemini = ({ token, logprob }: { readonly token: string; readonly logprob: number }) => ({
  token,
  tokenId: 1,
  logProbability: logprob,
})
const toGenerated = (tokens: readonly (typeof TOKENS)[number][], finishReason?: string) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: tokens.map(({ token }) => token).join('') }] },
      logprobsResult: {
        chosenCandidates: tokens.map(toGemini),
        topCandidates: tokens.map(({ top_logprobs }) => ({ candidates: top_logprobs.map(toGemini) })),
      },
      finishReason,
    },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
})

const PROVIDERS = {
  [DEEPSEEK]: { json: CHAT, events: CHAT_CHUNKS },
  [GEMINI]: {
    json: toGenerated(TOKENS, 'STOP'),
    events: [toGenerated([TOKENS[0]]), toGenerated([TOKENS[1]], 'STOP')],
  },
}

let relay: TestRelay | undefined
afterEach(() => relay?.close())

async function ask(type: keyof typeof PROVIDERS, path: string, body: JsonObject) {
  const sent: JsonObject[] = []
  const send: Send = async ({ body: bytes }) => {
    sent.push(JSON.parse(await new Response(receivedBody(bytes) ?? '').text()))
    const { json, events } = PROVIDERS[type]
    if (!body.stream) return receivedResponse(Response.json(json))
    const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
    const end = type === DEEPSEEK ? 'data: [DONE]\n\n' : ''
    return receivedResponse(new Response(text + end, { headers: { 'content-type': 'text/event-stream' } }))
  }
  relay = await TestRelay.open({ send })
  await relay.addChannel({
    type,
    base_url: 'http://provider.test',
    model_mapping: '{"lab":"gemini-2.5-pro"}',
  })
  const response = await relay.request(path, await relay.addToken(), { model: 'lab', ...body })
  expect(response.status).toBe(200)
  const text = await response.text()
  const events = text
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => asObject(JSON.parse(line.slice('data: '.length))))
  return { text, events, sent: sent[0] }
}

const chat = { messages: [{ role: 'user', content: 'hi' }], logprobs: true, top_logprobs: 2 }
const responses = { input: 'hi', top_logprobs: 2, include: ['message.output_text.logprobs'] }

test('tells chat clients the log probabilities of Gemini', async () => {
  const { text, sent } = await ask(GEMINI, '/v1/chat/completions', chat)
  expect(sent?.generationConfig).toMatchObject({ responseLogprobs: true, logprobs: 2 })
  expect(JSON.parse(text).choices[0].logprobs).toMatchObject({ content: TOKENS })
})

test('streams the log probabilities of Gemini to chat clients, each with its text', async () => {
  const { events } = await ask(GEMINI, '/v1/chat/completions', { ...chat, stream: true })
  const choices = events.flatMap(({ choices: list }) => asArray(list).map(asObject))
  const informed = choices.filter(({ logprobs }) => logprobs)
  expect(informed.map(({ delta }) => asObject(delta).content)).toEqual(['It', ' is'])
  expect(informed.flatMap(({ logprobs }) => asArray(asObject(logprobs).content))).toEqual([...TOKENS])
})

test.each([DEEPSEEK, GEMINI] as const)(
  'tells clients of the Responses API the log probabilities of provider %d',
  async type => {
    const { text, sent } = await ask(type, '/v1/responses', responses)
    if (type === DEEPSEEK) expect(sent).toMatchObject({ logprobs: true, top_logprobs: 2 })
    expect(JSON.parse(text).output[0].content[0]).toMatchObject({ text: 'It is', logprobs: TOKENS })
  },
)

test.each([DEEPSEEK, GEMINI] as const)(
  'streams the log probabilities of provider %d to clients of the Responses API, and repeats them at the end',
  async type => {
    const { events } = await ask(type, '/v1/responses', { ...responses, stream: true })
    const of = (name: string) => events.filter(event => event.type === name)
    const deltas = of('response.output_text.delta')
    expect(deltas.map(({ delta, logprobs }) => [delta, logprobs])).toEqual([
      ['It', [TOKENS[0]]],
      [' is', [TOKENS[1]]],
    ])
    expect(of('response.output_text.done')[0]).toMatchObject({ text: 'It is', logprobs: TOKENS })
    expect(of('response.content_part.done')[0]?.part).toMatchObject({ logprobs: TOKENS })
    expect(of('response.completed')[0]?.response).toMatchObject({
      output: [{ content: [{ logprobs: TOKENS }] }],
    })
  },
)

const GENERATE = '/v1beta/models/lab:'
const generate = {
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  generationConfig: { responseLogprobs: true, logprobs: 2 },
}

test('tells clients of Gemini the log probabilities of another provider', async () => {
  const { text, sent } = await ask(DEEPSEEK, `${GENERATE}generateContent`, generate)
  expect(sent).toMatchObject({ logprobs: true, top_logprobs: 2 })
  expect(readGeminiLogprobs(JSON.parse(text).candidates[0].logprobsResult)).toEqual([...TOKENS])
})

test('streams the log probabilities of another provider to clients of Gemini, each with its text', async () => {
  const path = `${GENERATE}streamGenerateContent?alt=sse`
  const { events } = await ask(DEEPSEEK, path, { ...generate, stream: true })
  const candidates = events.flatMap(event => asArray(event.candidates).map(asObject))
  const informed = candidates.filter(({ logprobsResult }) => logprobsResult)
  const parts = informed.map(({ content }) => asObject(asArray(asObject(content).parts)[0]))
  expect(parts.map(({ text }) => text)).toEqual(['It', ' is'])
  const tokens = informed.flatMap(({ logprobsResult }) => readGeminiLogprobs(logprobsResult) ?? [])
  expect(tokens).toEqual([...TOKENS])
})

test('asks for no log probabilities unless the client does', async () => {
  const { sent, text } = await ask(DEEPSEEK, '/v1/responses', { input: 'hi', top_logprobs: 0 })
  expect(Object.keys(sent ?? {})).not.toContain('logprobs')
  expect(Object.keys(sent ?? {})).not.toContain('top_logprobs')
  expect(JSON.parse(text).output[0].content[0].logprobs).toEqual(TOKENS)
})

import { afterEach, expect, test } from 'bun:test'
import { asObject, type JsonObject } from '../../provider-kit/json.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const MESSAGES = [{ role: 'user', content: 'hi' }]
const CLIENTS: Readonly<Record<string, readonly [path: string, streamPath: string, body: JsonObject]>> = {
  chat: ['/v1/chat/completions', '/v1/chat/completions', { model: 'lab', messages: MESSAGES }],
  messages: ['/v1/messages', '/v1/messages', { model: 'lab', max_tokens: 9, messages: MESSAGES }],
  responses: ['/v1/responses', '/v1/responses', { model: 'lab', input: 'hi' }],
  gemini: [
    '/v1beta/models/lab:generateContent',
    '/v1beta/models/lab:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
}
const CHAT_USAGE = { prompt_tokens: 3, completion_tokens: 1 }
const CLAUDE_USAGE = { input_tokens: 3, output_tokens: 1 }
const MODELS = {
  openai: 'gpt-4o-2024-08-06',
  anthropic: 'claude-haiku-4-5-20251001',
  gemini: 'gemini-2.5-pro',
}
const CLAUDE = { id: 'm', type: 'message', role: 'assistant', model: MODELS.anthropic, usage: CLAUDE_USAGE }
const GEMINI = {
  modelVersion: MODELS.gemini,
  candidates: [{ content: { role: 'model', parts: [{ text: '{"model":"gpt-4o"}' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 },
}
const RESPONSE = {
  id: 'r',
  status: 'completed',
  model: MODELS.openai,
  output: [{ id: 'i', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }],
  usage: CLAUDE_USAGE,
}
const chunk = { id: 'c', object: 'chat.completion.chunk', model: MODELS.openai }

const PROVIDERS: readonly (readonly [
  type: number,
  mapped: string,
  json: JsonObject,
  events: readonly JsonObject[],
])[] = [
  [
    1,
    'gpt-4o',
    {
      id: 'c',
      model: MODELS.openai,
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    },
    [
      { ...chunk, choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage: CHAT_USAGE },
    ],
  ],
  [
    14,
    'claude-haiku-4-5',
    { ...CLAUDE, content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' },
    [
      { type: 'message_start', message: CLAUDE },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: CLAUDE_USAGE },
      { type: 'message_stop' },
    ],
  ],
  [24, 'gemini-2.5-pro', GEMINI, [GEMINI]],
]

const CASES = PROVIDERS.flatMap(([type, mapped, json, events]) =>
  Object.entries(CLIENTS).flatMap(([client, paths]) =>
    [false, true].map(stream => ({ type, mapped, json, events, client, paths, stream })),
  ),
)

let relay: TestRelay
afterEach(() => relay.close())

const frame = (event: JsonObject): string =>
  `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`

async function ask(
  { type, mapped, json, events, paths, stream }: (typeof CASES)[number],
  options = {},
): Promise<string> {
  relay = await TestRelay.open({
    options,
    send: sendThrough(async request => {
      const isResponses = request.url.endsWith('/responses')
      if (!stream) return Response.json(isResponses ? RESPONSE : json)
      const own = isResponses
        ? [
            { type: 'response.created', response: { ...RESPONSE, output: [] } },
            { type: 'response.output_text.delta', delta: 'ok' },
            { type: 'response.completed', response: RESPONSE },
          ]
        : events
      return new Response(own.map(frame).join(''), { headers: { 'content-type': 'text/event-stream' } })
    }),
  })
  await relay.addChannel({ type, base_url: 'http://p.test', model_mapping: JSON.stringify({ lab: mapped }) })
  const [path, streamPath, body] = paths
  const isStreamed = stream && path === streamPath ? { ...body, stream } : body
  const response = await relay.request(stream ? streamPath : path, await relay.addToken(), isStreamed)
  expect(response.status).toBe(200)
  return response.text()
}

const modelsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/"(?:model|modelVersion)":\s*"([^"]*)"/g)].map(([, model = '']) => model)),
]

test.each(CASES)(
  'a $client client of provider $type sees the model it asked for, streamed: $stream',
  async one => {
    expect(modelsIn(await ask(one))).toEqual(['lab'])
  },
)

test.each(CASES)('or the one of provider $type in $client, streamed: $stream', async one => {
  const shown = modelsIn(await ask(one, { ResponseModelName: 'provider' }))
  expect(shown.length).toBe(1)
  expect(shown[0]).toStartWith(one.mapped)
})

test('leaves what a model says about models as it is', async () => {
  const one = CASES.find(({ type, client }) => type === 24 && client === 'gemini')
  const text = one && (await ask({ ...one, mapped: 'gpt-4o' }))
  const [candidate] = JSON.parse(text ?? '').candidates
  expect(asObject(candidate.content.parts[0]).text).toBe('{"model":"gpt-4o"}')
})

import { afterEach, expect, test } from 'bun:test'
import { asArray, asObject, asString } from '../provider-kit/json.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const AZURE = 3
const OLLAMA = 4
const CUSTOM = 8
const ANTHROPIC = 14
const GEMINI = 24

/** Numbers that a double cannot hold, with one that it can. */
const NUMBERS =
  '{"id":9007199254740993,"ids":[123456789012345678901234567890],"rate":0.1234567890123456789,"plain":1}'
const ARGUMENTS = JSON.stringify(NUMBERS)

const CHAT_TOOLS = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","default":${NUMBERS}}}}]`
const CALLED = `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}]},{"role":"tool","tool_call_id":"t","content":"done"}`
const HELLO = '{"role":"user","content":"hi"}'

const CHAT_REPLY =
  '{"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}'
const CLAUDE_REPLY = `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${NUMBERS}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":1}}`
const GEMINI_REPLY = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${NUMBERS}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}`
const OLLAMA_REPLY = `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":${NUMBERS}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":1}`
const RESPONSES_REPLY =
  '{"id":"resp_1","status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}],"usage":{"input_tokens":3,"output_tokens":1}}'

const REPLIES: Readonly<Record<number, string>> = {
  [OPENAI]: CHAT_REPLY,
  [AZURE]: CHAT_REPLY,
  [CUSTOM]: CHAT_REPLY,
  [OLLAMA]: OLLAMA_REPLY,
  [ANTHROPIC]: CLAUDE_REPLY,
  [GEMINI]: GEMINI_REPLY,
}

let relay: TestRelay
afterEach(() => relay.close())

/** A relay with one channel, which responds with `reply`. Returns a function that calls it with a JSON text. */
async function open(type: number, reply = REPLIES[type] ?? '', channel = {}) {
  const received: string[] = []
  relay = await TestRelay.open({
    send: sendThrough(async request => {
      received.push(await request.text())
      const contentType = reply.startsWith('data:') ? 'text/event-stream' : 'application/json'
      return new Response(reply, { headers: { 'content-type': contentType } })
    }),
  })
  await relay.addChannel({ type, ...channel })
  const key = await relay.addToken()
  return async (path: string, body: string) => {
    const response = await relay.request(path, key, body)
    expect(response.status).toBe(200)
    return { sent: received.at(-1) ?? '', text: await response.text() }
  }
}

test.each([
  { type: OPENAI, channel: {} },
  { type: OPENAI, channel: { model_mapping: '{"lab":"other"}' } },
  { type: OPENAI, channel: { param_override: '{"top_p":1}' } },
  { type: AZURE, channel: {} },
  { type: CUSTOM, channel: {} },
])('keeps the digits of a chat request for provider $type with $channel', async ({ type, channel }) => {
  const call = await open(type, CHAT_REPLY, channel)
  const fields = [`"messages":[${HELLO}]`, '"seed":9007199254740993', `"later":${NUMBERS}`, CHAT_TOOLS]
  const { sent } = await call('/v1/chat/completions', `{"model":"lab",${fields.join(',')}}`)
  for (const field of fields) expect(sent).toContain(field)
})

test('keeps the digits of a native request whose channel overrides a field', async () => {
  const call = await open(OPENAI, RESPONSES_REPLY, { param_override: '{"top_p":1}' })
  const { sent } = await call('/v1/responses', `{"model":"lab","input":"hi","later":${NUMBERS}}`)
  expect(sent).toContain(`"later":${NUMBERS}`)
  expect(sent).toContain('"top_p":1')
})

test.each([
  [ANTHROPIC, `"input":${NUMBERS}`],
  [GEMINI, `"args":${NUMBERS}`],
  [OLLAMA, `"arguments":${NUMBERS}`],
])(
  'keeps the digits of arguments to and from provider %d, which has them as objects',
  async (type, written) => {
    const call = await open(type)
    const { sent, text } = await call(
      '/v1/chat/completions',
      `{"model":"lab","max_tokens":9,"messages":[${HELLO},${CALLED}],${CHAT_TOOLS}}`,
    )
    expect(sent).toContain(written)
    expect(text).toContain(`"arguments":${ARGUMENTS}`)
  },
)

test('keeps the digits of arguments that Gemini streams', async () => {
  const call = await open(GEMINI, `data: ${GEMINI_REPLY}\n\n`)
  const body = `{"model":"lab","stream":true,"messages":[${HELLO}],${CHAT_TOOLS}}`
  const { text } = await call('/v1/chat/completions', body)
  expect(text).toContain(ARGUMENTS.slice(1, -1))
})

test.each([ANTHROPIC, GEMINI])('keeps the digits of a chain of responses at provider %d', async type => {
  const call = await open(type)
  const tools = `"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]`
  const first = await call('/v1/responses', `{"model":"lab","max_output_tokens":9,"input":"hi",${tools}}`)
  const { id, output } = asObject(JSON.parse(first.text))
  const item = asArray(output)
    .map(asObject)
    .find(({ type: kind }) => kind === 'function_call')
  expect(asString(item?.arguments)).toBe(NUMBERS)
  const result = `{"type":"function_call_output","call_id":"${item?.call_id}","output":"done"}`
  const second = `{"model":"lab","max_output_tokens":9,"previous_response_id":"${id}","input":[${result}],${tools}}`
  expect((await call('/v1/responses', second)).sent).toContain(NUMBERS)
})

test('keeps the digits of a schema in the second request of a chain', async () => {
  const call = await open(ANTHROPIC)
  const tools = `"tools":[{"type":"function","name":"f","parameters":{"type":"object","default":${NUMBERS}}}]`
  const { text } = await call('/v1/responses', `{"model":"lab","max_output_tokens":9,"input":"hi",${tools}}`)
  const { id } = asObject(JSON.parse(text))
  const second = `{"model":"lab","max_output_tokens":9,"previous_response_id":"${id}","input":"more",${tools}}`
  expect((await call('/v1/responses', second)).sent).toContain(`"default":${NUMBERS}`)
})

test("keeps the digits of Anthropic's clients for other providers, and back", async () => {
  const reply = CHAT_REPLY.replace(
    '"content":"yes"',
    `"content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}]`,
  )
  const call = await open(OPENAI, reply)
  const used = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${NUMBERS}}]}`
  const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}'
  const tools = `"tools":[{"name":"f","input_schema":{"type":"object","default":${NUMBERS}}}]`
  const { sent, text } = await call(
    '/v1/messages',
    `{"model":"lab","max_tokens":9,"messages":[${HELLO},${used},${result}],${tools}}`,
  )
  expect(sent).toContain(`"arguments":${ARGUMENTS}`)
  expect(sent).toContain(`"default":${NUMBERS}`)
  expect(text).toContain(`"input":${NUMBERS}`)
})

test("keeps the digits of Gemini's clients for other providers, and back", async () => {
  const reply = CHAT_REPLY.replace(
    '"content":"yes"',
    `"content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}]`,
  )
  const call = await open(OPENAI, reply)
  const turns = [
    '{"role":"user","parts":[{"text":"hi"}]}',
    `{"role":"model","parts":[{"functionCall":{"name":"f","args":${NUMBERS}}}]}`,
    `{"role":"user","parts":[{"functionResponse":{"name":"f","response":${NUMBERS}}}]}`,
  ]
  const { sent, text } = await call('/v1beta/models/lab:generateContent', `{"contents":[${turns.join(',')}]}`)
  expect(sent).toContain(`"arguments":${ARGUMENTS}`)
  expect(sent).toContain(`"content":${ARGUMENTS}`)
  expect(text).toContain(`"args":${NUMBERS}`)
})

test('treats a number in place of arguments as no arguments', async () => {
  const call = await open(ANTHROPIC)
  const messages = `[${HELLO},${CALLED.replace(ARGUMENTS, '"9007199254740993"')}]`
  const { sent } = await call('/v1/chat/completions', `{"model":"lab","max_tokens":9,"messages":${messages}}`)
  expect(sent).toContain('"input":{}')
})

test('keeps the digits of a request that holds a large image', async () => {
  const call = await open(OPENAI)
  const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,${'iVBORw0KGgo='.repeat(200_000).replaceAll('=', 'A')}"}}`
  const text = `{"model":"lab","messages":[{"role":"user","content":[${image}]}],"later":${NUMBERS}}`
  const { sent } = await call('/v1/chat/completions', text)
  expect(sent === text).toBe(true)
})

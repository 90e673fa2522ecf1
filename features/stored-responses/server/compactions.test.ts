import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { encryptSummary } from './compactions.ts'

const OPENAI = 1
const ANTHROPIC = 14

let relay: TestRelay
let token: string
let calls: { readonly url: string; readonly body: JsonObject }[] = []

const usage = { input_tokens: 10, output_tokens: 2 }

function respond(url: string, body: JsonObject): Response {
  if (url.endsWith('/compact')) {
    const item = { id: 'cmp_1', type: 'compaction', encrypted_content: 'of the provider' }
    return Response.json({ id: 'resp_1', object: 'response.compaction', output: [item], usage })
  }
  if (url.endsWith('/responses'))
    return Response.json({
      id: 'resp_of_provider',
      object: 'response',
      status: 'completed',
      output: [],
      usage,
    })
  const content = [{ type: 'text', text: 'the summary' }]
  if (body.stream !== true)
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'lab',
      content,
      stop_reason: 'end_turn',
      usage,
    })
  const events = [
    { type: 'message_start', message: { id: 'm', model: 'lab', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'the summary' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  return new Response(
    events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  )
}

beforeEach(async () => {
  calls = []
  relay = await TestRelay.open({
    send: async ({ url, body }) => {
      const json = asObject(JSON.parse(String(body)))
      calls.push({ url, body: json })
      return receivedResponse(respond(url, json))
    },
  })
  token = await relay.addToken()
})

afterEach(() => relay.close())

const TOOL = { type: 'function', name: 'run', parameters: { type: 'object' } }
const INPUT = [
  { role: 'user', content: 'build it' },
  { role: 'assistant', content: 'built' },
]

async function call(path: string, body: JsonObject) {
  const response = await relay.request(`/v1/responses${path}`, token, { model: 'lab', ...body })
  const text = await response.text()
  const data = text.startsWith('{')
    ? asObject(JSON.parse(text))
    : asObject(asObject(JSON.parse(text.slice(text.lastIndexOf('data: ') + 6))).response)
  return { status: response.status, json: data, output: asArray(data.output).map(asObject) }
}

const charges = () => relay.db.selectFrom('logs').select('quota').where('type', '=', 2).execute()

test('compacts by a summary of the same model, which replaces the conversation', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const { json, output } = await call('/compact', { input: INPUT, tools: [TOOL] })
  expect(json).toMatchObject({ object: 'response.compaction', usage: { input_tokens: 10, output_tokens: 2 } })
  expect(output).toMatchObject([{ type: 'compaction' }])
  expect(JSON.stringify(output)).not.toContain('summary')
  expect(calls[0]?.body.tools).toBeUndefined()
  expect(await charges()).toHaveLength(1)
  await call('', { input: [...INPUT, ...output, { role: 'user', content: 'go on' }] })
  const sent = JSON.stringify(calls.at(-1)?.body.messages)
  for (const text of ['the summary', 'go on']) expect(sent).toContain(text)
  expect(sent).not.toContain('build it')
})

test.each([false, true])(
  'compacts where the input says so, and continues behind it, streamed: %p',
  async stream => {
    await relay.addChannel({ type: ANTHROPIC })
    const { json, output } = await call('', { input: [...INPUT, { type: 'compaction_trigger' }], stream })
    expect(output).toMatchObject([{ type: 'compaction' }])
    await call('', { input: 'go on', previous_response_id: json.id })
    const sent = JSON.stringify(calls.at(-1)?.body.messages)
    expect(sent).toContain('the summary')
    expect(sent).not.toContain('build it')
  },
)

test('leaves compaction to a provider that has it', async () => {
  await relay.addChannel({ type: OPENAI })
  const { output } = await call('/compact', { input: INPUT })
  expect(calls[0]?.url).toEndWith('/v1/responses/compact')
  expect(output).toMatchObject([{ type: 'compaction', encrypted_content: 'of the provider' }])
  expect(Number((await charges())[0]?.quota)).toBeGreaterThan(0)
})

test('compacts the conversation of an earlier response without further input', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const { json } = await call('', { input: INPUT })
  const { output } = await call('/compact', { previous_response_id: json.id })
  expect(output).toMatchObject([{ type: 'compaction' }])
  expect(JSON.stringify(calls.at(-1)?.body.messages)).toContain('build it')
})

test('lets a provider compact the conversation of its own earlier response', async () => {
  await relay.addChannel({ type: OPENAI })
  await call('', { input: INPUT })
  const { output } = await call('/compact', { previous_response_id: 'resp_of_provider' })
  expect(output).toMatchObject([{ type: 'compaction', encrypted_content: 'of the provider' }])
  expect(calls[1]?.body).toEqual({ model: 'lab', previous_response_id: 'resp_of_provider' })
  expect((await call('/compact', {})).status).toBe(400)
})

test('rejects a compaction that was forged or is another user’s', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const { secrets } = relay.context
  for (const content of ['gateway.v1.forged', encryptSummary('theirs', relay.userId + 1, secrets)]) {
    const { status, json } = await call('', { input: [{ type: 'compaction', encrypted_content: content }] })
    expect(status).toBe(400)
    expect(asString(asObject(json.error).code)).toBe('invalid_encrypted_content')
  }
  expect(calls).toHaveLength(0)
})

import { afterEach, expect, test } from 'bun:test'
import type { Send } from '../http-client/send.ts'
import type { JsonObject } from '../provider-kit/json.ts'
import { receivedBody, receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const DEEPSEEK = 43
const XAI = 48
const MESSAGE = { role: 'assistant', content: 'It is sunny.' }
const CHAT = {
  choices: [{ index: 0, message: MESSAGE, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
}
const RESPONSE = {
  id: 'resp_1',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is sunny.' }] }],
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
}

const MESSAGE_REPLY = {
  content: [{ type: 'text', text: 'It is sunny.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 4 },
}

let relay: TestRelay | undefined
afterEach(() => relay?.close())

interface SentRequest {
  readonly url: string
  readonly body: JsonObject
}

interface RequestOptions {
  readonly model?: string
  readonly isChatOnly?: boolean
  readonly path?: string
  readonly key?: string
}

/** Sends a request to a channel of a provider, by default one of the Responses API. */
async function requestResponse(
  type: number,
  fields: JsonObject,
  { model = 'lab', isChatOnly = false, path = '/v1/responses', key = 'key' }: RequestOptions = {},
) {
  const sent: SentRequest[] = []
  const send: Send = async ({ url, body }) => {
    sent.push({ url, body: JSON.parse(await new Response(receivedBody(body) ?? '').text()) })
    const isResponse = url.endsWith('/responses')
    if (isResponse && isChatOnly) return receivedResponse(Response.json({}, { status: 404 }))
    return receivedResponse(
      Response.json(isResponse ? RESPONSE : url.includes('/invoke') ? MESSAGE_REPLY : CHAT),
    )
  }
  relay = await TestRelay.open({ send })
  const mapping = JSON.stringify({ lab: model })
  const key_sealed = relay.encryptKey(key)
  await relay.addChannel({ type, key_sealed, base_url: 'http://provider.test', model_mapping: mapping })
  const body = { model: 'lab', input: 'Weather in Lisbon?', ...fields }
  const response = await relay.request(path, await relay.addToken(), body)
  const { error } = await response.json()
  const stored = await relay.db.selectFrom('receipts').select('body').executeTakeFirst()
  const log = await relay.db.selectFrom('logs').select('quota').executeTakeFirst()
  return {
    status: response.status,
    header: response.headers.get('x-tollgate-dropped-tools'),
    error,
    sent,
    receipt: JSON.parse(stored?.body ?? '{}'),
    quota: log?.quota,
  }
}

const LOOK_UP = { type: 'function', name: 'look_up', parameters: { type: 'object', properties: {} } }

test('names in the receipt and in a header the tools that were left out for a provider without them', async () => {
  const tools = [LOOK_UP, { type: 'web_search' }, { type: 'web_search' }, { type: 'image_generation' }]
  const { status, header, sent, receipt } = await requestResponse(DEEPSEEK, { tools })
  expect(status).toBe(200)
  expect(header).toBe('web_search, image_generation')
  expect(receipt.dropped_tools).toEqual(['web_search', 'image_generation'])
  expect(sent[0]?.body.tools).toMatchObject([{ type: 'function', function: { name: 'look_up' } }])
})

test.each([
  [{ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }, 'web_search'],
  [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'web_search'],
  [
    { tools: [LOOK_UP, { type: 'image_generation' }], tool_choice: { type: 'image_generation' } },
    'image_generation',
  ],
])('rejects %j where the provider lacks the tool, and charges nothing', async (fields, tool) => {
  const { status, error, sent, quota } = await requestResponse(DEEPSEEK, fields)
  expect(status).toBe(400)
  expect(error.message).toContain(
    `tool_choice: requires the tool ${tool}, which the provider of lab does not have`,
  )
  expect(sent).toEqual([])
  expect(quota).toBe(0)
})

test('leaves hosted tools to a provider of the same API, and notes nothing', async () => {
  const tools = [{ type: 'web_search' }, { type: 'image_generation' }]
  const { header, sent, receipt } = await requestResponse(OPENAI, { tools, tool_choice: 'required' })
  expect(sent).toMatchObject([{ url: 'http://provider.test/v1/responses', body: { tools } }])
  expect(header).toBeNull()
  expect(receipt.dropped_tools).toBeUndefined()
})

test('translates free-form tools for a provider whose Responses API has none, and keeps its search', async () => {
  const tools = [{ type: 'custom', name: 'apply_patch' }, { type: 'web_search' }]
  const { status, sent, header } = await requestResponse(XAI, { tools }, { model: 'grok-4' })
  expect(status).toBe(200)
  expect(sent).toMatchObject([
    {
      url: 'http://provider.test/v1/responses',
      body: { tools: [{ type: 'function', name: 'apply_patch' }, { type: 'web_search' }] },
    },
  ])
  expect(header).toBeNull()
})

const RESPONSES_CALL = { path: '/v1/responses', tools: [LOOK_UP, { type: 'web_search' }] }
const CLAUDE_CALL = {
  path: '/v1/messages',
  messages: [{ role: 'user', content: 'Weather in Lisbon?' }],
  max_tokens: 500,
  tools: [{ type: 'web_search_20250305', name: 'web_search' }],
}

test.each([RESPONSES_CALL, CLAUDE_CALL])(
  'repeats a request to $path without its hosted tools where the server has chat completions only',
  async ({ path, ...fields }) => {
    const { status, header, sent } = await requestResponse(OPENAI, fields, { isChatOnly: true, path })
    expect(status).toBe(200)
    expect(sent.map(({ url }) => url)).toEqual([
      'http://provider.test/v1/responses',
      'http://provider.test/v1/chat/completions',
    ])
    expect(header).toBe('web_search')
  },
)

test('serves the web search of a Claude client by the Responses API of OpenAI', async () => {
  const { path, ...fields } = CLAUDE_CALL
  const { status, header, sent, receipt } = await requestResponse(OPENAI, fields, { path })
  expect(status).toBe(200)
  expect(sent).toMatchObject([
    { url: 'http://provider.test/v1/responses', body: { tools: [{ type: 'web_search' }], store: false } },
  ])
  expect(header).toBeNull()
  expect(receipt.usage).toMatchObject({ input: 9, output: 4 })
})

const BEDROCK = 33

test("leaves Claude's server tools out for a cloud that hosts Claude without them", async () => {
  const { path, ...fields } = CLAUDE_CALL
  const tools = [...CLAUDE_CALL.tools, { name: 'look_up', input_schema: { type: 'object' } }]
  const options = { path, model: 'claude-sonnet-4-5-20250929', key: 'access|secret|us-east-1' }
  const { header, sent } = await requestResponse(BEDROCK, { ...fields, tools }, options)
  expect(sent).toMatchObject([{ body: { tools: [{ name: 'look_up' }] } }])
  expect(header).toBe('web_search')
})

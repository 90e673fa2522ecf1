import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ROLE } from '#contract/enums.ts'
import { asArray, asObject, type JsonObject } from '../provider-kit/json.ts'
import { receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

const ANTHROPIC = 14
const OPENAI = 1
type Choice = 'nobody' | 'administrators' | 'everyone'

let relay: TestRelay
let token: string
/** The accounts that were called. */
let calls: string[] = []

/** Makes a container named after the account's key, as OpenAI and Anthropic do. */
function respond(key: string, path: string, body: JsonObject): Response {
  const id = `cntr_${key}`
  const isOpenAi = path.endsWith('/responses')
  const response = isOpenAi ? openAiResponse(id) : claudeMessage(id)
  if (body.stream !== true) return Response.json(response)
  const events = isOpenAi ? openAiEvents(response) : claudeEvents(response)
  const text = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

const openAiResponse = (id: string): JsonObject => ({
  id: `resp_${crypto.randomUUID()}`,
  status: 'completed',
  model: 'lab',
  output: [
    { id: 'ci_1', type: 'code_interpreter_call', container_id: id, code: '1', status: 'completed' },
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: 'done',
          annotations: [{ type: 'container_file_citation', container_id: id, file_id: `file_of_${id}` }],
        },
      ],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 1 },
})

const openAiEvents = (response: JsonObject): readonly JsonObject[] => [
  { type: 'response.created', response: { id: response.id } },
  { type: 'response.output_text.delta', delta: 'done' },
  ...asArray(response.output).map(item => ({ type: 'response.output_item.done', item })),
  { type: 'response.completed', response },
]

const claudeMessage = (id: string): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'lab',
  container: { id, expires_at: '2099-01-01T00:00:00Z' },
  content: [
    {
      type: 'bash_code_execution_tool_result',
      tool_use_id: 't',
      content: { type: 'bash_code_execution_result', content: [{ type: 'file', file_id: `file_of_${id}` }] },
    },
    { type: 'text', text: 'done' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 1 },
})

const claudeEvents = ({ content, container, ...message }: JsonObject): readonly JsonObject[] => [
  { type: 'message_start', message: { ...message, content: [] } },
  { type: 'content_block_start', index: 0, content_block: asArray(content)[0] },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'done' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', container }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]

const open = async (UnknownAccountIds: Choice = 'administrators') => {
  relay = await TestRelay.open({
    options: { UnknownAccountIds },
    send: async ({ url, headers, body }) => {
      const key = (headers.authorization ?? headers['x-api-key'] ?? '').replace('Bearer ', '')
      calls.push(key)
      return receivedResponse(respond(key, new URL(url).pathname, asObject(JSON.parse(String(body)))))
    },
  })
  token = await relay.addToken()
}

beforeEach(() => {
  calls = []
})
afterEach(() => relay.close())

const DIALECTS = {
  openai: {
    type: OPENAI,
    path: '/v1/responses',
    named: (container: string, file: string): JsonObject => ({
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: file }] }],
      tools: [{ type: 'code_interpreter', container }],
    }),
    plain: { input: 'hi' },
  },
  anthropic: {
    type: ANTHROPIC,
    path: '/v1/messages',
    named: (container: string, file: string): JsonObject => ({
      container,
      messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: file }] }],
    }),
    plain: { messages: [{ role: 'user', content: 'hi' }] },
  },
} as const

test.each([false, true])('binds a thread to user and account, streamed: %p', async stream => {
  await open()
  await relay.addChannel({
    type: ANTHROPIC,
    key_sealed: relay.encryptKey('a\nb\nc'),
    setting: '{"several_keys":true}',
  })
  const ask = async (thread: JsonObject) => {
    const body = { model: 'lab', max_tokens: 9, stream, ...DIALECTS.anthropic.plain, thread }
    const beta = { 'anthropic-beta': 'message-threads-2026-08-12' }
    const response = await relay.request('/v1/messages', token, body, beta)
    await response.text()
    return response.status
  }
  const next = { type: 'continue', previous_message_id: 'msg_1' }
  expect(await ask(next)).toBe(404)
  expect(await ask({ type: 'create' })).toBe(200)
  relay.switchProcess()
  for (let turn = 0; turn < 5; turn += 1) expect(await ask(next)).toBe(200)
  expect(new Set(calls).size).toBe(1)
  await relay.db
    .updateTable('account_handles')
    .set({ user_id: relay.userId + 1 })
    .execute()
  relay.switchProcess()
  expect(await ask(next)).toBe(404)
})

const GEMINI = 24

test.each([
  ['/v1/messages', OPENAI, { thread: { id: 'thread_1' } }, 'thread'],
  ['/v1/messages', GEMINI, { thread: { type: 'continue', previous_message_id: 'msg_1' } }, 'thread'],
  ['/v1/messages', OPENAI, { container: 'cntr_unknown' }, 'container'],
  ['/v1/messages', GEMINI, { container: { id: 'cntr_unknown' } }, 'container'],
  ['/v1/responses', ANTHROPIC, DIALECTS.openai.named('cntr_unknown', 'file_unknown'), 'file'],
  [
    '/v1beta/models/lab:generateContent',
    ANTHROPIC,
    { contents: [{ parts: [{ text: 'hi' }] }], cachedContent: 'cachedContents/1' },
    'cachedContent',
  ],
] as const)(
  'names what only other providers have before whose it is: %s, type %d, %j',
  async (path, type, fields, name) => {
    for (const stream of [false, true]) {
      await open()
      await relay.addChannel({ type })
      const { plain } = DIALECTS.anthropic
      const model = path.endsWith('generateContent') ? {} : { model: 'lab', max_tokens: 9, stream }
      const ask = () =>
        relay.request(path, token, { ...(path === '/v1/messages' && plain), ...model, ...fields })
      const response = await ask()
      expect(response.status).toBe(400)
      expect(asObject((await response.json()).error).message).toContain(name)
      await relay.addChannel({
        type: path === '/v1/messages' ? ANTHROPIC : path === '/v1/responses' ? OPENAI : GEMINI,
      })
      expect((await ask()).status).toBe(404)
      expect(calls).toEqual([])
      await relay.close()
    }
    await open()
  },
)

const CASES = (['openai', 'anthropic'] as const).flatMap(dialect =>
  [false, true].map(stream => [dialect, stream] as const),
)

test.each(CASES)('binds containers and files to user and account: %s, streamed: %p', async (name, stream) => {
  const { type, path, plain, named } = DIALECTS[name]
  await open()
  await relay.addChannel({ type, key_sealed: relay.encryptKey('a\nb\nc'), setting: '{"several_keys":true}' })
  const ask = async (fields: JsonObject) => {
    const response = await relay.request(path, token, { model: 'lab', max_tokens: 9, stream, ...fields })
    await response.text()
    return response.status
  }
  expect(await ask(plain)).toBe(200)
  const [key = ''] = calls
  const ids = named(`cntr_${key}`, `file_of_cntr_${key}`)
  relay.switchProcess()
  for (let turn = 0; turn < 5; turn += 1) expect(await ask(ids)).toBe(200)
  expect(new Set(calls)).toEqual(new Set([key]))
  await relay.db
    .updateTable('account_handles')
    .set({ user_id: relay.userId + 1 })
    .execute()
  relay.switchProcess()
  const count = calls.length
  await relay.db.updateTable('users').set({ role: ROLE.root }).execute()
  expect(await ask(ids)).toBe(404)
  expect(calls).toHaveLength(count)
})

test.each([
  ['nobody', 'admin', 404],
  ['administrators', 'user', 404],
  ['administrators', 'admin', 200],
  ['everyone', 'user', 200],
] as const)(
  'lets unknown ids through where %s may use them and the caller is %s: %p',
  async (choice, role, status) => {
    await open(choice)
    await relay.db.updateTable('users').set({ role: ROLE[role] }).execute()
    for (const { type, path, named } of Object.values(DIALECTS)) {
      await relay.addChannel({ type })
      const body = { model: 'lab', max_tokens: 9, ...named('cntr_unknown', 'file_unknown') }
      const response = await relay.request(path, token, body, { 'accept-language': 'zh' })
      const text = await response.text()
      expect(response.status).toBe(status)
      expect(text.includes('未找到 ID')).toBe(status === 404)
      await relay.db.updateTable('channels').set({ status: 2 }).execute()
    }
    expect(calls.length > 0).toBe(status === 200)
  },
)

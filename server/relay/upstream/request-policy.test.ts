import { expect, test } from 'bun:test'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

type Body = Readonly<Record<string, unknown>>

const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const RESPONSES: Readonly<Record<number, Body>> = {
  [OPENAI]: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  },
  [ANTHROPIC]: {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'lab', stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'hi' }],
    usage: { input_tokens: 9, output_tokens: 2 },
  },
  [GEMINI]: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2 },
  },
}

interface Call {
  readonly type: number
  readonly setting: Body
  readonly path?: string
  readonly body: Body
}

/** What the client gets, and the body that the vendor gets. */
async function send({ type, setting, path = '/v1/chat/completions', body }: Call) {
  const sent: Body[] = []
  const relay = await TestRelay.open({
    send: sendThrough(async request => {
      sent.push(JSON.parse(await request.text()))
      return Response.json(RESPONSES[type])
    }),
  })
  await relay.addChannel({ type, setting: JSON.stringify(setting) })
  const messages = [{ role: 'user', content: 'hi' }]
  const sentBody = path.includes('models') ? body : { model: 'lab', max_tokens: 9, messages, ...body }
  const response = await relay.request(path, await relay.addToken(), sentBody)
  const text = await response.text()
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  await relay.close()
  return {
    status: response.status,
    text,
    dropped: response.headers.get('x-tollgate-dropped-tools'),
    sent,
    quota,
  }
}

const FUNCTION = { name: 'f', input_schema: { type: 'object' } }
const SEARCH = { type: 'web_search_20250305', name: 'web_search' }

test('sends what the client asks for by default', async () => {
  const body = { service_tier: 'priority', web_search_options: {} }
  const { sent } = await send({ type: OPENAI, setting: { service_tier: 'allow' }, body })
  expect(sent).toMatchObject([body])
})

test.each([
  [OPENAI, '/v1/chat/completions', { service_tier: 'priority' }],
  [OPENAI, '/v1/chat/completions', { service_tier: 'auto' }],
  [ANTHROPIC, '/v1/messages', { speed: 'fast', service_tier: 'auto' }],
])('strips the service tier for vendor %p at %s: %p', async (type, path, body) => {
  const { status, sent } = await send({ type, setting: { service_tier: 'strip' }, path, body })
  expect(status).toBe(200)
  expect(sent).toHaveLength(1)
  for (const field of Object.keys(body)) expect(sent[0]).not.toHaveProperty(field)
})

test.each([
  [OPENAI, '/v1/chat/completions', { service_tier: 'flex' }],
  [ANTHROPIC, '/v1/messages', { speed: 'fast' }],
])('refuses another service tier for vendor %p at %s: %p, and charges nothing', async (type, path, body) => {
  const { status, text, sent, quota } = await send({ type, setting: { service_tier: 'forbid' }, path, body })
  expect(status).toBe(400)
  expect(text).toContain('the administrator does not allow the service tier')
  expect([sent, quota]).toEqual([[], 0])
})

test('lets the default tier through where others are forbidden', async () => {
  const body = { service_tier: 'default' }
  expect((await send({ type: OPENAI, setting: { service_tier: 'forbid' }, body })).status).toBe(200)
})

test("strips Claude's search, keeps functions, and names what it left out", async () => {
  const body = { tools: [SEARCH, FUNCTION], tool_choice: { type: 'auto' } }
  const call = { type: ANTHROPIC, setting: { server_tools: 'strip' }, path: '/v1/messages', body }
  const { sent, dropped } = await send(call)
  expect(sent[0]).toMatchObject({ tools: [FUNCTION], tool_choice: { type: 'auto' } })
  expect(dropped).toBe('web_search')
})

test('strips the choice of a tool with the last tool', async () => {
  const body = { tools: [SEARCH], tool_choice: { type: 'auto' } }
  const call = { type: ANTHROPIC, setting: { server_tools: 'strip' }, path: '/v1/messages', body }
  const [first] = (await send(call)).sent
  expect(first).not.toHaveProperty('tools')
  expect(first).not.toHaveProperty('tool_choice')
})

test("strips Gemini's search from an entry that also has functions", async () => {
  const functionDeclarations = [{ name: 'f', parameters: { type: 'object' } }]
  const call = {
    type: GEMINI,
    setting: { server_tools: 'strip' },
    path: '/v1beta/models/lab:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      tools: [{ googleSearch: {}, functionDeclarations }],
    },
  }
  expect((await send(call)).sent[0]?.tools).toEqual([{ functionDeclarations }])
})

test.each([{ web_search_options: {} }, { plugins: [{ id: 'web' }] }, { enable_search: true }])(
  'strips the search of a chat client: %p',
  async body => {
    const { sent } = await send({ type: OPENAI, setting: { server_tools: 'strip' }, body })
    expect(sent).toHaveLength(1)
    for (const field of Object.keys(body)) expect(sent[0]).not.toHaveProperty(field)
  },
)

test('refuses a tool that the client forces instead of stripping it, and any where they are forbidden', async () => {
  const forced = { tools: [SEARCH], tool_choice: { type: 'tool', name: 'web_search' } }
  for (const [policy, body] of [
    ['strip', forced],
    ['forbid', { tools: [SEARCH] }],
    ['forbid', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] }],
  ] as const) {
    const call = { type: ANTHROPIC, setting: { server_tools: policy }, path: '/v1/messages', body }
    const { status, text, sent, quota } = await send(call)
    expect(status).toBe(400)
    expect(text).toContain('the administrator does not allow the tool')
    expect([sent, quota]).toEqual([[], 0])
  }
})

import { describe, expect, test } from 'bun:test'
import type { OptionValues } from '#contract/options/system-options.ts'
import { createPriceBook } from '../../pricing/price-book.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'
import { authenticate } from '../admission/authenticate.ts'
import { type EventRules, judgeEvent } from './request-policy.ts'

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

/** The client's response, and the body that the provider receives. */
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

test('refuses what it cannot strip, and strips what stands where tools belong', async () => {
  const setting = { server_tools: 'strip' }
  const hidden = await send({ type: OPENAI, setting, body: { reasoning: { tool: { type: 'web_search' } } } })
  expect([hidden.status, hidden.sent]).toEqual([400, []])
  expect(hidden.text).toContain('the tool web_search')
  const known = await send({ type: OPENAI, setting, body: { web_search_options: {} } })
  expect([known.status, known.sent.length]).toEqual([200, 1])
  expect(known.sent[0]).not.toHaveProperty('web_search_options')
})

test.each([
  { app_id: 'a1' },
  { tool_choice: { type: 'web_search' } },
  { metadata: { tools: '[{"type":"web_search"}]' } },
  { extra_body: { gizmo_id: 'g' } },
])('forbids and strips what no documentation lists: %j', async body => {
  const forbidden = await send({ type: OPENAI, setting: { server_tools: 'forbid' }, body })
  expect([forbidden.status, forbidden.sent]).toEqual([400, []])
  const stripped = await send({ type: OPENAI, setting: { server_tools: 'strip' }, body })
  expect([stripped.status, stripped.sent.length]).toEqual([200, 1])
  expect(JSON.stringify(stripped.sent)).not.toMatch(/a1|web_search|gizmo/)
})

test.each([
  [OPENAI, '/v1/chat/completions', { service_tier: 'priority' }],
  [OPENAI, '/v1/chat/completions', { service_tier: 'auto' }],
  [ANTHROPIC, '/v1/messages', { speed: 'fast', service_tier: 'auto' }],
])('strips the service tier for provider %p at %s: %p', async (type, path, body) => {
  const { status, sent } = await send({ type, setting: { service_tier: 'strip' }, path, body })
  expect(status).toBe(200)
  expect(sent).toHaveLength(1)
  for (const field of Object.keys(body)) expect(sent[0]).not.toHaveProperty(field)
})

test.each([
  [OPENAI, '/v1/chat/completions', { service_tier: 'flex' }],
  [ANTHROPIC, '/v1/messages', { speed: 'fast' }],
])(
  'refuses another service tier for provider %p at %s: %p, and charges nothing',
  async (type, path, body) => {
    const { status, text, sent, quota } = await send({
      type,
      setting: { service_tier: 'forbid' },
      path,
      body,
    })
    expect(status).toBe(400)
    expect(text).toContain('the administrator does not allow the service tier')
    expect([sent, quota]).toEqual([[], 0])
  },
)

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

type GroupRules = OptionValues['GroupRequestPolicies'][string]

interface Rules {
  readonly group?: GroupRules
  readonly others?: GroupRules
  readonly token?: Readonly<Record<string, string>>
  readonly channel?: Body
}

/** The client's response and the provider's request, under rules of group, token and channel. */
async function sendUnder({ group, others, token = {}, channel = {} }: Rules, body: Body, path = CHAT) {
  const sent: Body[] = []
  const type = path === CHAT ? OPENAI : ANTHROPIC
  const relay = await TestRelay.open({
    options: { GroupRequestPolicies: { ...(group && { default: group }), ...(others && { '*': others }) } },
    send: sendThrough(async request => {
      sent.push(JSON.parse(await request.text()))
      return Response.json(RESPONSES[type])
    }),
  })
  await relay.addChannel({ type, setting: JSON.stringify(channel) })
  const messages = [{ role: 'user', content: 'hi' }]
  const key = await relay.addToken({ columns: token })
  const response = await relay.request(path, key, { model: 'lab', max_tokens: 9, messages, ...body })
  const text = await response.text()
  const charged = await relay.db.selectFrom('logs').select('quota').executeTakeFirst()
  const { held_quota } = await relay.db.selectFrom('users').select('held_quota').executeTakeFirstOrThrow()
  await relay.close()
  const dropped = response.headers.get('x-tollgate-dropped-tools')
  return { status: response.status, text, dropped, sent, quota: charged?.quota ?? 0, held: held_quota }
}

const CHAT = '/v1/chat/completions'
const PRIORITY = { service_tier: 'priority' }

test.each([
  ['the group', { group: { service_tier: 'strip' } }],
  ['all other groups', { others: { service_tier: 'strip' } }],
  ['the token', { token: { service_tier: 'strip' } }],
] as const)('strips the service tier for %s', async (_, rules) => {
  const { status, sent } = await sendUnder(rules, PRIORITY)
  expect(status).toBe(200)
  expect(sent).toHaveLength(1)
  expect(sent[0]).not.toHaveProperty('service_tier')
})

test('a rule for all other groups does not apply to a group with rules of its own', async () => {
  const rules = { group: { server_tools: 'forbid' }, others: { service_tier: 'forbid' } } as const
  expect((await sendUnder(rules, PRIORITY)).sent).toMatchObject([PRIORITY])
})

test('a rule for all other groups does not apply to a group that may do everything', async () => {
  const rules = { group: { service_tier: 'allow' }, others: { service_tier: 'forbid' } } as const
  expect((await sendUnder(rules, PRIORITY)).sent).toMatchObject([PRIORITY])
})

test.each([
  ['group over token', { group: { service_tier: 'forbid' }, token: { service_tier: 'strip' } }],
  ['token over group', { group: { service_tier: 'strip' }, token: { service_tier: 'forbid' } }],
  ['token over channel', { token: { service_tier: 'forbid' }, channel: { service_tier: 'strip' } }],
  ['channel over token', { token: {}, channel: { service_tier: 'forbid' } }],
] as const)('the strictest rule counts: %s; nothing is held or charged', async (_, rules) => {
  const { status, text, sent, quota, held } = await sendUnder(rules, PRIORITY)
  expect(status).toBe(400)
  expect(JSON.parse(text).error.message).toContain('does not allow the service tier priority for lab')
  expect([sent, Number(quota), Number(held)]).toEqual([[], 0, 0])
})

test("rejects Claude's server tools of a token in Claude's format", async () => {
  const rules = { token: { server_tools: 'forbid' } }
  const { status, text, sent } = await sendUnder(rules, { tools: [SEARCH] }, '/v1/messages')
  expect(status).toBe(400)
  expect(JSON.parse(text)).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.stringContaining('the tool web_search') },
  })
  expect(sent).toEqual([])
})

test('strips server tools of a group, keeps functions, and names what it left out', async () => {
  const rules = { group: { server_tools: 'strip' } } as const
  const { sent, dropped } = await sendUnder(rules, { tools: [SEARCH, FUNCTION] }, '/v1/messages')
  expect(sent[0]).toMatchObject({ tools: [FUNCTION] })
  expect(dropped).toBe('web_search')
})

test.each(['strip', 'forbid'] as const)(
  '%s refuses a stored prompt, which brings its own tools',
  async serverTools => {
    const { status, text, sent } = await sendUnder(
      { group: { server_tools: serverTools } },
      { prompt: { id: 'pmpt_1' } },
    )
    expect(status).toBe(400)
    expect(text).toContain('the administrator does not allow the tool prompt')
    expect(sent).toEqual([])
  },
)

test("strips Claude's skills with the tool that runs them", async () => {
  const container = { skills: [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }] }
  const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }, FUNCTION]
  const { sent } = await sendUnder({ token: { server_tools: 'strip' } }, { container, tools }, '/v1/messages')
  expect(sent[0]?.tools).toEqual([FUNCTION])
  expect(sent[0]).not.toHaveProperty('container')
})

describe('an event of a conversation', () => {
  const PRICES = createPriceBook({ GroupRatio: { default: 1 }, ModelRatio: { lab: 1, dear: 9 } })
  const SEARCH_EVENT = { type: 'session.update', session: { tools: [{ type: 'web_search' }] } }

  async function judge(event: unknown, rules: Partial<EventRules> = {}, columns = {}): Promise<void> {
    const relay = await TestRelay.open()
    const authorization = `Bearer sk-${await relay.addToken({ columns })}`
    const request = new Request('http://gateway.test/v1/realtime', { headers: { authorization } })
    const caller = await authenticate(request, connectionFor(request, ''), 'token', relay.context)
    await relay.close()
    const settings = { current: () => ({ GroupRequestPolicies: {}, prices: PRICES }) }
    judgeEvent(event, { caller, model: 'lab' }, { settings, channel: {}, readForeignIds: () => [], ...rules })
  }

  test('passes where nothing is limited', async () => {
    await judge(SEARCH_EVENT)
  })

  test.each([
    { session: { input_audio_transcription: { model: 'dear' } } },
    { session: { audio: { input: { transcription: { model: 'dear' } } } } },
    { response: { route: 'dear' } },
  ])('may not name a model outside the list of its token: %j', async event => {
    const columns = { model_limits_enabled: 1, model_limits: 'lab' }
    await expect(judge(event, {}, columns)).rejects.toThrow('may not use the model dear')
  })

  test('may not name what another user keeps', async () => {
    await expect(judge({}, { readForeignIds: () => ['cntr_1'] })).rejects.toThrow('cntr_1')
  })

  test('may not ask for a tool that the channel or the group forbids', async () => {
    const channel = { policy: { serverTools: 'strip' } } as const
    await expect(judge(SEARCH_EVENT, { channel })).rejects.toThrow('the tool web_search')
    const options = { GroupRequestPolicies: { '*': { server_tools: 'forbid' } }, prices: PRICES } as const
    await expect(judge(SEARCH_EVENT, { settings: { current: () => options } })).rejects.toThrow('web_search')
  })
})

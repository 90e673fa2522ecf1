import { describe, expect, test } from 'bun:test'
import { readSdkTypes, type TypeCheck } from '../../tests/harness/sdk-types.ts'
import { createLab } from './open-lab.ts'
import { parseEvents } from './testing.ts'

const lab = createLab()
const CHAT = '/v1/chat/completions'
const RESPONSES = '/v1/responses'
const MESSAGES = '/v1/messages'
const GENERATE = '/v1beta/models/gemini-3-pro:generateContent'

interface LabCall {
  readonly path: string
  readonly body?: object
  readonly key?: string
  readonly method?: string
}

function send({ path, body, key = 'some-key', method = body ? 'POST' : 'GET' }: LabCall): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    'x-api-key': key,
    'x-goog-api-key': key,
    'anthropic-version': '2023-06-01',
  }
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers }
  return lab.fetch(new Request(`http://lab.test${path}`, init))
}

const read = async (call: LabCall) => (await send(call)).json()

/** The status and message of a refused request. */
async function readError(call: LabCall) {
  const response = await send(call)
  const { error } = await response.json()
  return { status: response.status, message: error?.message, code: error?.code }
}

const openaiShared = 'openai/resources/shared.d.ts'
const responseTypes = readSdkTypes('openai/resources/responses/responses.d.ts', openaiShared)
const chatTypes = readSdkTypes('openai/resources/chat/completions/completions.d.ts', openaiShared)
const messageTypes = readSdkTypes('@anthropic-ai/sdk/resources/messages/messages.d.ts')

const user = { role: 'user', content: 'hello' }
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const chat = { model: 'gpt-4o', messages: [user] }
const flatTools = [
  { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
  { type: 'custom', name: 'patch' },
]
const responses = { model: 'gpt-5', input: [user], include: ['reasoning.encrypted_content'] }
const message = { model: 'claude-sonnet-4-5', max_tokens: 4000, messages: [user] }
const claudeTools = [{ name: 'f', input_schema: { type: 'object' } }]

/** Members that OpenAI's SDK itself adds, and that Anthropic's API leaves out. */
const notSent = /\.(output_text|citations) is missing$/
const problemsOf = (check: TypeCheck, value: unknown) =>
  check(value).filter(problem => !notSent.test(problem))

const SCENARIOS = ['tokens-5', 'reasoning-4', 'tools-2', 'filter', 'decline', 'tools-2+interleaved']

describe.each(SCENARIOS)('with the scenario %s, the official types accept', scenario => {
  test.each([
    [CHAT, { ...chat, tools, logprobs: true, top_logprobs: 2 }, chatTypes.type('ChatCompletion')],
    [RESPONSES, { ...responses, tools: flatTools, top_logprobs: 2 }, responseTypes.type('Response')],
    [MESSAGES, { ...message, tools: claudeTools }, messageTypes.type('Message')],
  ])('the response of %s', async (path, body, check) => {
    expect(problemsOf(check, await read({ path: `/fault/${scenario}${path}`, body }))).toEqual([])
  })

  test.each([
    [CHAT, { ...chat, tools, logprobs: true }, chatTypes.type('ChatCompletionChunk')],
    [RESPONSES, { ...responses, tools: flatTools }, responseTypes.type('ResponseStreamEvent')],
    [MESSAGES, { ...message, tools: claudeTools }, messageTypes.type('RawMessageStreamEvent')],
  ])('the events of %s', async (path, body, check) => {
    const response = await send({ path: `/fault/${scenario}${path}`, body: { ...body, stream: true } })
    const events = parseEvents(await response.text()).filter(({ name }) => name !== 'ping')
    const payloads = events.map(({ payload }) => payload).filter(payload => typeof payload === 'object')
    expect(payloads.length).toBeGreaterThan(1)
    expect(payloads.flatMap(payload => problemsOf(check, payload))).toEqual([])
  })
})

test.each([
  [CHAT, chat, chatTypes.members('ChatCompletionCreateParamsBase')],
  [RESPONSES, responses, responseTypes.members('ResponseCreateParamsBase')],
  [
    MESSAGES,
    message,
    messageTypes.members('MessageCreateParamsBase').filter(name => name !== 'workspace_id'),
  ],
])('%s knows every field of the official type and refuses others', async (path, body, members) => {
  for (const name of members) {
    const text = await (await send({ path, body: { [name]: null, ...body } })).text()
    expect(text).not.toMatch(/Unknown parameter|Extra inputs/)
  }
  const { status, message: text } = await readError({ path, body: { ...body, unheard_of: 1 } })
  expect(status).toBe(400)
  expect(text).toContain('unheard_of')
})

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const claudeCall = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] }
const functionCall = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
const geminiCall = {
  functionCall: { name: 'f', args: {} },
  thoughtSignature: 'skip_thought_signature_validator',
}
const geminiUser = { role: 'user', parts: [{ text: 'hello' }] }

test('a compaction keeps what the user said, and only its own account can read it', async () => {
  const { id } = await read({ path: RESPONSES, body: responses })
  const compact = `${RESPONSES}/compact`
  const { output, usage } = await read({ path: compact, body: { model: 'gpt-5', previous_response_id: id } })
  const content = [{ type: 'input_text', text: user.content }]
  expect(output).toMatchObject([{ ...user, content, status: 'completed' }, { type: 'compaction' }])
  expect(usage.total_tokens).toBeGreaterThan(0)
  const next = { path: RESPONSES, body: { ...responses, input: [...output, user] } }
  expect((await send(next)).status).toBe(200)
  expect(await readError({ ...next, key: 'other-key' })).toMatchObject({ code: 'invalid_encrypted_content' })
})

test('a reference to a stored call stands for the call', async () => {
  const first = await read({
    path: `/fault/tools-1${RESPONSES}`,
    body: { ...responses, tools: flatTools.slice(0, 1) },
  })
  const stored = first.output.find(({ type }: { type: string }) => type === 'function_call')
  const reference = { type: 'item_reference', id: stored.id }
  const output = { type: 'function_call_output', call_id: stored.call_id, output: 'done' }
  const input = [user, reference, output]
  expect((await send({ path: RESPONSES, body: { ...responses, input } })).status).toBe(200)
  const { message } = await readError({ path: RESPONSES, body: { ...responses, input: [user, reference] } })
  expect(message).toContain('No tool output found')
})

test.each<readonly [LabCall, string]>([
  [
    { path: CHAT, body: { ...chat, messages: [user, { role: 'tool', tool_call_id: 'c', content: '' }] } },
    'preceeding message',
  ],
  [
    { path: CHAT, body: { ...chat, messages: [user, { role: 'assistant', tool_calls: [call] }, user] } },
    'did not have response messages: c',
  ],
  [{ path: CHAT, body: { ...chat, tool_choice: 'required' } }, "only allowed when 'tools'"],
  [
    { path: CHAT, body: { ...chat, tools, tool_choice: { type: 'function', function: { name: 'g' } } } },
    "'g' not found",
  ],
  [
    {
      path: RESPONSES,
      body: { ...responses, input: [{ type: 'function_call_output', call_id: 'c', output: '' }] },
    },
    'No tool call found for function call output with call_id c',
  ],
  [
    { path: RESPONSES, body: { ...responses, input: [functionCall] } },
    'No tool output found for function call c',
  ],
  [
    {
      path: MESSAGES,
      body: {
        ...message,
        messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] }],
      },
    },
    'unexpected `tool_use_id`',
  ],
  [
    { path: MESSAGES, body: { ...message, messages: [user, claudeCall, user] } },
    'without `tool_result` blocks immediately after: c',
  ],
  [
    {
      path: MESSAGES,
      body: {
        ...message,
        tools: claudeTools,
        tool_choice: { type: 'any' },
        thinking: { type: 'enabled', budget_tokens: 2000 },
      },
    },
    'Thinking may not be enabled',
  ],
  [
    { path: MESSAGES, body: { ...message, thinking: { type: 'enabled', budget_tokens: 4000 } } },
    'must be greater than',
  ],
  [{ path: GENERATE, body: { contents: [geminiUser], unheard_of: 1 } }, 'Unknown name "unheard_of"'],
  [
    { path: GENERATE, body: { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'f' } }] }] } },
    'immediately after a function call turn',
  ],
  [
    {
      path: GENERATE,
      body: {
        contents: [
          geminiUser,
          { role: 'model', parts: [geminiCall, geminiCall] },
          { role: 'user', parts: [{ functionResponse: { name: 'f' } }] },
        ],
      },
    },
    'number of function response parts',
  ],
])('refuses %j as the provider does', async (request, reason) => {
  expect(await readError(request)).toMatchObject({ status: 400, message: expect.stringContaining(reason) })
})

const STRING = { type: 'string' }
const UNION = { type: 'object', properties: {}, anyOf: [{ properties: { a: STRING } }] }
const named = (name: string, parameters: object = { type: 'object', properties: {} }) => [
  { type: 'function', function: { name, parameters } },
]
const declared = (name: string, input_schema: object = { type: 'object' }) => [{ name, input_schema }]
const generated = { contents: [geminiUser] }
const LONG_ID = 'c'.repeat(65)

/** By the rules that the gateway keeps to (`server/provider-kit`). */
test.each<readonly [string, string, object, string]>([
  ['a name with dots', CHAT, { ...chat, tools: named('a.b') }, 'a name or an ID'],
  ['a long name', CHAT, { ...chat, tools: named('f'.repeat(65)) }, 'a name or an ID'],
  ['an open schema', CHAT, { ...chat, tools: named('f', { type: 'object' }) }, 'the schema of a tool'],
  [
    'a list of anything',
    CHAT,
    { ...chat, tools: named('f', { type: 'object', properties: { a: { type: 'array' } } }) },
    'the schema of a tool',
  ],
  ['a union', CHAT, { ...chat, tools: named('f', UNION) }, 'the schema of a tool'],
  ['five stops', CHAT, { ...chat, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop: 5'],
  ['a temperature while it reasons', CHAT, { ...chat, model: 'gpt-5', temperature: 1 }, 'temperature'],
  ['too many tokens', CHAT, { ...chat, model: 'gpt-4o-mini', max_tokens: 128_000 }, 'max_tokens: 128000'],
  [
    'a long ID',
    CHAT,
    {
      ...chat,
      messages: [
        user,
        { role: 'assistant', tool_calls: [{ ...call, id: LONG_ID }] },
        { role: 'tool', tool_call_id: LONG_ID, content: '' },
      ],
    },
    'a name or an ID',
  ],
  [
    'a name with dots',
    RESPONSES,
    {
      ...responses,
      tools: [{ type: 'function', name: 'a.b', parameters: { type: 'object', properties: {} } }],
    },
    'a name or an ID',
  ],
  [
    'a long ID',
    RESPONSES,
    {
      ...responses,
      input: [
        { ...functionCall, call_id: LONG_ID },
        { type: 'function_call_output', call_id: LONG_ID, output: '' },
      ],
    },
    'a name or an ID',
  ],
  ['a name with dots', MESSAGES, { ...message, tools: declared('a.b') }, 'a name or an ID'],
  ['a union', MESSAGES, { ...message, tools: declared('f', UNION) }, 'the schema of a tool'],
  [
    'a tuple of old',
    MESSAGES,
    {
      ...message,
      tools: declared('f', { type: 'object', properties: { a: { type: 'array', items: [STRING] } } }),
    },
    'the schema of a tool',
  ],
  ['sampling', MESSAGES, { ...message, model: 'claude-opus-4-8', temperature: 0.5 }, 'temperature'],
  ['two kinds of sampling', MESSAGES, { ...message, temperature: 0.5, top_p: 0.5 }, 'top_p'],
  [
    'sampling while it thinks',
    MESSAGES,
    { ...message, thinking: { type: 'enabled', budget_tokens: 2000 }, top_k: 5 },
    'top_k',
  ],
  ['a high temperature', MESSAGES, { ...message, temperature: 1.5 }, 'temperature: 1.5'],
  ['too many tokens', MESSAGES, { ...message, max_tokens: 128_000 }, 'max_tokens: 128000'],
  [
    'a blank text',
    MESSAGES,
    { ...message, messages: [user, { role: 'assistant', content: [{ type: 'text', text: ' ' }] }, user] },
    'non-whitespace',
  ],
  [
    'a reference in a result',
    GENERATE,
    {
      contents: [
        geminiUser,
        { role: 'model', parts: [geminiCall] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: { $ref: '#/b' } } } }] },
      ],
    },
    'referenced name',
  ],
  [
    'an odd ID',
    MESSAGES,
    {
      ...message,
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'functions.f:0', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.f:0' }] },
      ],
    },
    'a name or an ID',
  ],
  [
    'a name that begins with a digit',
    GENERATE,
    { ...generated, tools: [{ functionDeclarations: [{ name: '3d' }] }] },
    'a name or an ID',
  ],
  [
    'six stops',
    GENERATE,
    { ...generated, generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } },
    'stop: 6',
  ],
  [
    'too many tokens',
    GENERATE.replace('gemini-3-pro', 'gemini-2.5-flash'),
    { ...generated, generationConfig: { maxOutputTokens: 128_000 } },
    'max_tokens: 128000',
  ],
])('refuses %s at %s', async (_, path, body, reason) => {
  expect(await readError({ path, body })).toMatchObject({
    status: 400,
    message: expect.stringContaining(reason),
  })
})

test('accepts system messages within a conversation', async () => {
  const messages = [user, { role: 'assistant', content: 'hi' }, { role: 'system', content: 'be brief' }, user]
  expect((await send({ path: MESSAGES, body: { ...message, messages } })).status).toBe(200)
})

test('calls one tool at a time when parallel calls are off', async () => {
  const body = { ...chat, model: 'lab-tools-3', tools, parallel_tool_calls: false }
  expect((await read({ path: CHAT, body })).choices[0].message.tool_calls).toHaveLength(1)
})

test('accepts its own signed thinking, and refuses thinking that was changed', async () => {
  const body = { ...message, model: 'lab-reasoning-5+tools', tools: claudeTools }
  const { content } = await read({ path: MESSAGES, body })
  const [thought, toolUse] = content
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolUse.id, content: 'ok' }] }
  const next = (blocks: readonly object[]): LabCall => ({
    path: MESSAGES,
    body: {
      ...message,
      tools: claudeTools,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [user, { role: 'assistant', content: blocks }, result],
    },
  })
  expect((await send(next(content))).status).toBe(200)
  const changed = await readError(next([{ ...thought, thinking: 'another thought' }, toolUse]))
  expect(changed).toMatchObject({ status: 400, message: expect.stringContaining('Invalid `signature`') })
  const missing = await readError(next([toolUse]))
  expect(missing.message).toContain('Expected `thinking`')
})

test('requires the signature of a call for newer Gemini models, and its own one', async () => {
  const next = (thoughtSignature: string | undefined): LabCall => ({
    path: GENERATE,
    body: {
      contents: [
        geminiUser,
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
    },
  })
  const declared = { tools: [{ functionDeclarations: [{ name: 'f' }] }] }
  const { candidates } = await read({
    path: `/fault/tools${GENERATE}`,
    body: { contents: [geminiUser], ...declared },
  })
  const { thoughtSignature } = candidates[0].content.parts[0]
  expect((await send(next(thoughtSignature))).status).toBe(200)
  expect((await readError(next(undefined))).message).toContain('missing a thought_signature')
  expect((await readError(next('forged'))).message).toContain('signature is not valid')
})

test('searches beside functions for newer Gemini models only, and when told so', async () => {
  const searching = {
    contents: [geminiUser],
    tools: [{ functionDeclarations: [{ name: 'f' }] }, { google_search: {} }],
  }
  const combined = { ...searching, toolConfig: { includeServerSideToolInvocations: true } }
  const older = GENERATE.replace(/gemini-3[^:]*/, 'gemini-2.5-flash')
  expect((await send({ path: GENERATE, body: combined })).status).toBe(200)
  expect((await readError({ path: GENERATE, body: searching })).message).toContain('Please enable')
  expect((await readError({ path: older, body: combined })).message).toContain('unsupported')
  expect((await send({ path: older, body: { ...combined, tools: [{ google_search: {} }] } })).status).toBe(
    200,
  )
})

test('accepts calls of past turns of Gemini without a signature, as Gemini CLI sends them after resuming', async () => {
  const contents = [
    geminiUser,
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    { role: 'model', parts: [{ text: 'done' }] },
    geminiUser,
  ]
  expect((await send({ path: GENERATE, body: { contents } })).status).toBe(200)
})

describe('what an account of OpenAI keeps', () => {
  const thinking = { ...responses, model: 'lab-reasoning-4', store: false }

  test('encrypted reasoning is read by the account that made it only', async () => {
    const { output } = await read({ path: RESPONSES, body: thinking })
    const input = [user, ...output, user]
    expect((await send({ path: RESPONSES, body: { ...responses, input } })).status).toBe(200)
    const foreign = { path: RESPONSES, body: { ...responses, input }, key: 'another' }
    expect(await readError(foreign)).toMatchObject({
      status: 400,
      code: 'invalid_encrypted_content',
      message: expect.stringContaining('organization_id did not match'),
    })
    const forged = [{ ...output[0], encrypted_content: 'Zm9yZ2Vk' }]
    const body = { ...responses, input: forged }
    expect((await readError({ path: RESPONSES, body })).message).toContain('could not be decrypted')
  })

  test('reasoning without encrypted content must be stored', async () => {
    const { output } = await read({ path: RESPONSES, body: { ...thinking, include: [] } })
    const missing = await readError({ path: RESPONSES, body: { ...responses, input: [user, ...output] } })
    expect(missing).toMatchObject({ status: 404, message: expect.stringContaining('not persisted') })
  })

  test('responses are stored, continued, read and deleted by one account', async () => {
    const first = await read({
      path: RESPONSES,
      body: { ...responses, model: 'lab-tools', tools: flatTools },
    })
    const output = { type: 'function_call_output', call_id: first.output[0].call_id, output: 'ok' }
    const body = { ...responses, previous_response_id: first.id, input: [output] }
    expect((await send({ path: RESPONSES, body })).status).toBe(200)
    expect(await readError({ path: RESPONSES, body, key: 'another' })).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    })
    const path = `${RESPONSES}/${first.id}`
    expect(await read({ path })).toEqual(first)
    expect((await read({ path: `${path}/input_items` })).data).toMatchObject([user])
    expect((await send({ path, key: 'another' })).status).toBe(404)
    expect(await read({ path, method: 'DELETE' })).toMatchObject({ id: first.id, deleted: true })
    expect((await send({ path })).status).toBe(404)
  })
})

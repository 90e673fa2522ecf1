import { describe, expect, test } from 'bun:test'
import type { ChatBody, ChatChunk, ChatReply } from '../contract/chat.ts'
import type { AdapterCall, ChatAdapter } from '../contract/operation-adapter.ts'
import { type ChatRules, withRules } from './chat-rules.ts'
import { type NameRule, toLegalName } from './legal-names.ts'

const WORDS: NameRule = { illegal: /[^\w-]/gu, lengthMax: 64 }

describe('a legal name', () => {
  test.each<[string, string, NameRule]>([
    ['is the name where the provider accepts it', 'get_weather-2', WORDS],
    ['has no dot', 'time.get-now', WORDS],
    ['has no character of other scripts', '天气.查询', WORDS],
    ['has no half of a character', 'a😀b', WORDS],
    ['is short', 'mcp__server__'.padEnd(72, 'x'), WORDS],
    ['begins with a letter', '3d-print', { ...WORDS, beginsWithLetter: true }],
    ['has the exact length', 'toolu_01', { illegal: /[^a-z0-9]/gi, lengthMax: 9, lengthMin: 9 }],
  ])('%s', (_, name, rule) => {
    const legal = toLegalName(name, rule)
    expect(legal).toMatch(rule.beginsWithLetter ? /^[a-z_][\w-]{0,63}$/i : /^[\w-]{1,64}$/)
    expect(legal.length).toBeGreaterThanOrEqual(rule.lengthMin ?? 1)
    expect(toLegalName(legal, rule)).toBe(legal)
    expect(toLegalName(name, rule)).toBe(legal)
  })

  test('differs for names that differ only in what is replaced or cut off', () => {
    const long = 'x'.repeat(80)
    const names = ['a.b', 'a/b', 'a_b', `${long}1`, `${long}2`]
    expect(new Set(names.map(name => toLegalName(name, WORDS))).size).toBe(names.length)
  })
})

const LONG = 'mcp__5b72495d-5e79-4584-8012-2bb5911c8de1__slack_search_public_and_private'
const OWN_ID = 'functions.search:0'
const callOfTool = (id: string, name: string) =>
  ({ id, type: 'function', function: { name, arguments: '{}' } }) as const
const BODY: ChatBody = {
  model: 'm',
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Search.' },
    { role: 'assistant', content: '', tool_calls: [callOfTool(OWN_ID, LONG)] },
    { role: 'tool', tool_call_id: OWN_ID, name: LONG, content: 'Found.' },
  ],
  tools: [
    { type: 'function', function: { name: LONG } },
    { type: 'function', function: { name: 'short' } },
  ],
  tool_choice: { type: 'function', function: { name: LONG } },
}

const BASE_CALL: Omit<AdapterCall<ChatBody>, 'body'> = {
  channel: { id: 1, key: 'k', baseUrl: '', other: '', organization: '', setting: {} },
  model: 'm',
  isStream: false,
  isTranslated: true,
  requestId: 'r',
  nowSeconds: 0,
}

/** Calls the first tool of the body, as the provider knows it. */
function callingFirstTool(sent: ChatBody[], format: Pick<ChatAdapter, 'nativeFormat'> = {}): ChatAdapter {
  const firstName = () => sent[0]?.tools?.[0]?.function.name ?? ''
  return {
    ...format,
    request({ body }) {
      sent.push(body)
      return { url: '', headers: {} }
    },
    reply(): { kind: 'reply'; reply: ChatReply } {
      const choice = { text: '', toolCalls: [callOfTool('c', firstName())], finish: 'tool_calls' } as const
      return { kind: 'reply', reply: { choices: [choice] } }
    },
    stream() {
      const start: ChatChunk = {
        type: 'tool-call-start',
        index: 0,
        id: 'c',
        name: firstName(),
        arguments: '',
      }
      return { read: () => [start], end: () => ({ chunks: [start], isComplete: true }) }
    },
  }
}

const NAMES: ChatRules = { names: WORDS, callIds: { ...WORDS, lengthMax: 40 } }

/** The body that a provider with these rules is sent. */
function sentUnder(
  rules: ChatRules,
  body: ChatBody,
  { nativeFormat, ...changes }: Partial<AdapterCall<ChatBody>> & Pick<ChatAdapter, 'nativeFormat'> = {},
): ChatBody | undefined {
  const sent: ChatBody[] = []
  const adapter = withRules(callingFirstTool(sent, nativeFormat && { nativeFormat }), rules)
  adapter.request({ ...BASE_CALL, ...changes, body })
  return sent[0]
}

test('names and ids are legal wherever they occur, and calls still match their results', () => {
  const body = sentUnder(NAMES, BODY)
  const [long, short] = body?.tools?.map(tool => tool.function.name) ?? []
  expect(long).toMatch(/^[\w-]{1,64}$/)
  expect(short).toBe('short')
  const [, , call, result] = body?.messages ?? []
  expect(call?.tool_calls?.[0]?.function.name).toBe(long ?? '')
  expect(result?.name).toBe(long ?? '')
  expect(body?.tool_choice).toEqual({ type: 'function', function: { name: long ?? '' } })
  expect(result?.tool_call_id).toMatch(/^[\w-]{1,40}$/)
  expect(call?.tool_calls?.[0]?.id).toBe(result?.tool_call_id ?? '')
})

test('a response has the names of the client, whole and streamed', () => {
  const sent: ChatBody[] = []
  const adapter = withRules(callingFirstTool(sent), NAMES)
  const call = { ...BASE_CALL, body: BODY, ownNames: adapter.ownNames?.({ ...BASE_CALL, body: BODY }) }
  adapter.request(call)
  expect(JSON.stringify(sent[0])).not.toContain(LONG)
  expect(adapter.reply({}, call)).toMatchObject({
    reply: { choices: [{ toolCalls: [{ function: { name: LONG } }] }] },
  })
  const reader = adapter.stream?.(call)
  expect(reader?.read({ data: '', raw: '' })).toMatchObject([{ name: LONG }])
  expect(reader?.end().chunks).toMatchObject([{ name: LONG }])
})

test('a body within the rules is the same object, and needs no names', () => {
  const body: ChatBody = { ...BODY, tool_choice: 'auto', max_tokens: 10, stop: ['a'] }
  const rules = { stopsMax: 4, callIds: { lengthMax: 40 } }
  expect(sentUnder(rules, body, { outputTokensMax: 100 })).toBe(body)
  expect(withRules(callingFirstTool([]), rules).ownNames?.({ ...BASE_CALL, body })).toBeUndefined()
})

test.each<[string, Partial<ChatBody>, ChatRules, Partial<ChatBody>]>([
  ['the length of an answer', { max_tokens: 128_000 }, {}, { max_tokens: 16_384 }],
  ['its newer name', { max_completion_tokens: 128_000 }, {}, { max_completion_tokens: 16_384 }],
  ['a length below it', { max_tokens: 9 }, {}, { max_tokens: 9 }],
  ['stop sequences', { stop: ['a', 'b', 'c'] }, { stopsMax: 2 }, { stop: ['a', 'b'] }],
])(
  'limits %s, and only the length for clients of the provider’s own format',
  (_, fields, rules, expected) => {
    const body: ChatBody = { model: 'm', messages: [], ...fields }
    expect(sentUnder(rules, body, { outputTokensMax: 16_384 })).toMatchObject(expected)
    const own = { outputTokensMax: 16_384, isTranslated: false, nativeFormat: 'openai' } as const
    expect(sentUnder(rules, body, own)).toMatchObject(fields.stop ? fields : expected)
  },
)

test('the role developer becomes system where the provider rejects it', () => {
  expect(sentUnder({ rejectsDeveloperRole: true }, BODY)?.messages[0]?.role).toBe('system')
  expect(sentUnder({}, BODY)?.messages[0]?.role).toBe('developer')
})

test.each([
  [{ takesOpenaiTools: true }, 'custom', undefined],
  [{ takesOpenaiTools: true, names: WORDS }, 'custom', undefined],
  [{}, 'function', [['edit', 'edit']]],
  [{ names: WORDS }, 'function', [['edit', 'edit']]],
] as const)('under %j, a custom tool is sent as a %s, which is translated back', (rules, type, own) => {
  const json = {
    ...BODY,
    tools: [{ type: 'custom', custom: { name: 'edit' } }],
    messages: [],
    tool_choice: 'auto',
  }
  const [tool] = Object(sentUnder(rules, JSON.parse(JSON.stringify(json)))).tools
  expect(tool.type).toBe(type)
  const names = withRules(callingFirstTool([]), rules).ownNames?.({
    ...BASE_CALL,
    body: JSON.parse(JSON.stringify(json)),
  })
  expect(names && [...names]).toEqual(own?.map(pair => [...pair]))
})

test('the tool choice validated is automatic where the provider does not know it', () => {
  const body: ChatBody = { ...BODY, tool_choice: 'validated' }
  expect(sentUnder({ takesOpenaiTools: true }, body)?.tool_choice).toBe('auto')
  expect(sentUnder({ takesValidated: true }, body)?.tool_choice).toBe('validated')
})

describe('a history with a call that never had a result', () => {
  const calls = [callOfTool('a', 'f'), callOfTool('b', 'f')]
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' }) as const
  const question = { role: 'user', content: 'Go on.' } as const
  const idsOf = (messages: ChatBody['messages'], call: Partial<AdapterCall<ChatBody>> = {}) => {
    let sent: ChatBody['messages'] = []
    const adapter = withRules(
      {
        nativeFormat: 'openai',
        request({ body }) {
          sent = body.messages
          return { url: '', headers: {} }
        },
        reply: () => ({ kind: 'reply', reply: { choices: [] } }),
      },
      {},
    )
    const made = { ...BASE_CALL, body: { model: 'm', messages }, ...call }
    adapter.request(made)
    return { ids: sent.map(({ role, tool_call_id: id }) => id ?? role), notes: adapter.adjustments?.(made) }
  }

  test.each([
    [
      'both are missing',
      [{ role: 'assistant', tool_calls: calls }, question],
      ['assistant', 'a', 'b', 'user'],
    ],
    [
      'one is missing',
      [{ role: 'assistant', tool_calls: calls }, result('b'), question],
      ['assistant', 'b', 'a', 'user'],
    ],
    [
      'a turn later',
      [{ role: 'assistant', tool_calls: calls }, { role: 'assistant', content: 'Well.' }, question],
      ['assistant', 'a', 'b', 'assistant', 'user'],
    ],
  ] as const)('gets one where %s', (_, messages, expected) => {
    const { ids, notes } = idsOf(messages)
    expect(ids).toEqual([...expected])
    expect(notes).toEqual(['tool result: – → empty'])
  })

  test('stays where the call is the last word, and in the format of the client', () => {
    expect(idsOf([question, { role: 'assistant', tool_calls: calls }])).toEqual({
      ids: ['user', 'assistant'],
      notes: [],
    })
    const messages = [{ role: 'assistant', tool_calls: calls } as const, question]
    expect(idsOf(messages, { isTranslated: false })).toEqual({ ids: ['assistant', 'user'], notes: [] })
  })
})

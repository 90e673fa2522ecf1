import { expect, test } from 'bun:test'
import { listLeftOut, toCloudRequest } from './cloud-rules.ts'

const SEARCH = 'tool-search-tool-2025-10-19'
const KNOWN = new Set([SEARCH, 'context-1m-2025-08-07', 'fine-grained-tool-streaming-2025-05-14'])
const tool = { name: 'a', input_schema: { type: 'object' } }

const requestWith = (body: object, beta?: string) =>
  toCloudRequest(
    {
      body: { messages: [], ...body },
      ...(beta !== undefined && { forwardedHeaders: { 'anthropic-beta': beta } }),
    },
    KNOWN,
  )

test.each<[string, string | undefined, object, readonly string[]]>([
  ['no feature', undefined, {}, []],
  ['features of the client only', 'claude-code-20250219,prompt-caching-scope-2026-01-05', {}, []],
  ['a feature that nobody has heard of', 'levitation-2027-01-01', {}, []],
  [
    'a feature that the cloud has',
    'claude-code-20250219, context-1m-2025-08-07',
    {},
    ['context-1m-2025-08-07'],
  ],
  ['a feature under another name', 'advanced-tool-use-2025-11-20', {}, [SEARCH]],
  ['a feature twice', `${SEARCH},advanced-tool-use-2025-11-20`, {}, [SEARCH]],
  [
    'a feature in the body',
    undefined,
    { anthropic_beta: ['context-1m-2025-08-07', 'x'] },
    ['context-1m-2025-08-07'],
  ],
  [
    'a search of tools',
    undefined,
    { tools: [{ type: 'tool_search_tool_regex_20251119', name: 's' }] },
    [SEARCH],
  ],
])('a cloud is asked for the beta features it has: %s', (_, header, body, expected) => {
  const request = requestWith(body, header)
  expect(request.betas).toEqual([...expected])
  expect(request.body).not.toHaveProperty('anthropic_beta')
})

test.each<[string, string | undefined, object, object]>([
  ['defer_loading without tool search', undefined, { ...tool, defer_loading: true }, tool],
  [
    'defer_loading with tool search',
    SEARCH,
    { ...tool, defer_loading: true },
    { ...tool, defer_loading: true },
  ],
  [
    'fields of features that the cloud lacks',
    'tool-examples-2025-10-29',
    { ...tool, input_examples: [{}] },
    tool,
  ],
  ['eager streaming', undefined, { ...tool, eager_input_streaming: true }, tool],
  [
    'callers',
    undefined,
    { ...tool, type: 'custom', allowed_callers: ['direct'] },
    { ...tool, type: 'custom' },
  ],
  ['a field that nobody has heard of', undefined, { ...tool, levitates: true }, tool],
  [
    'strict schemas and cache marks',
    undefined,
    { ...tool, strict: true, cache_control: { type: 'ephemeral' } },
    { ...tool, strict: true, cache_control: { type: 'ephemeral' } },
  ],
  [
    "Anthropic's own tools",
    undefined,
    { type: 'computer_20250124', name: 'computer', display_width_px: 9 },
    { type: 'computer_20250124', name: 'computer', display_width_px: 9 },
  ],
])('a cloud is sent the fields of tools that it takes: %s', (_, header, sent, expected) => {
  expect(requestWith({ tools: [sent] }, header).body.tools).toEqual([expected])
})

test('cache marks lose their scope wherever they are', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' } }
  const text = { type: 'text', text: 'hi' }
  const { body } = requestWith({
    system: [{ ...text, ...mark }],
    tools: [{ ...tool, ...mark }],
    messages: [
      {
        role: 'user',
        content: [
          { ...text, ...mark },
          { type: 'tool_result', tool_use_id: 't', content: [{ ...text, ...mark }] },
        ],
      },
    ],
    ...mark,
  })
  const kept = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  expect(body).toEqual({
    system: [{ ...text, ...kept }],
    tools: [{ ...tool, ...kept }],
    messages: [
      {
        role: 'user',
        content: [
          { ...text, ...kept },
          { type: 'tool_result', tool_use_id: 't', content: [{ ...text, ...kept }] },
        ],
      },
    ],
    ...kept,
  })
})

test.each(['safeguards', 'thread', 'inference_geo', 'mcp_servers', 'container'])(
  'no cloud is sent %s, whose client must hear that nobody reads it',
  field => {
    expect(() => requestWith({ [field]: { id: 'x' } })).toThrow(new RegExp(`^${field}: `))
    expect(requestWith({ [field]: null }).betas).toEqual([])
  },
)

test('what a task may cost stays here, and receipts state what else does', () => {
  const body = {
    messages: [],
    anthropic_beta: ['task-budgets-2026-03-13'],
    output_config: { effort: 'high', task_budget: { type: 'tokens', total: 1_000 } },
    ...{ context_hint: {}, speed: 'fast', tags: null, mcp_servers: [], container: null },
  }
  expect(toCloudRequest({ body }, KNOWN).body).toEqual({ messages: [], output_config: { effort: 'high' } })
  expect(listLeftOut({ body }, KNOWN)).toEqual([
    'output_config.task_budget → –',
    'context_hint → –',
    'speed → –',
    'mcp_servers → –',
  ])
})

test('fields for Anthropic\u2019s platform stay here, and all others are sent', () => {
  const { body } = requestWith({
    tags: ['a'],
    service_tier: 'auto',
    speed: 'fast',
    fallbacks: [],
    unheard_of: 1,
    metadata: { user_id: 'u' },
  })
  expect(body).toEqual({ messages: [], unheard_of: 1, metadata: { user_id: 'u' } })
})

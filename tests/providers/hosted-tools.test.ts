import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadProviders } from '#server/compose/modules.ts'
import { dialect as anthropic } from '#server/dialects/anthropic/index.ts'
import { dialect as gemini } from '#server/dialects/gemini/index.ts'
import { dialect as openai } from '#server/dialects/openai/index.ts'
import { dialect as responses } from '#server/dialects/responses/index.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import { HOSTED_TOOL_NAMES, type HostedToolName } from '#server/provider-kit/contract/hosted-tool.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { selectHostedTools } from '#server/provider-kit/hosted-tools.ts'
import { asArray, asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { toCell, toRows, toToolTable } from './hosted-tools.ts'
import { readFixtures } from './provider-fixtures.ts'

const DOCUMENTS = [
  ['docs/reference/tools.md', false],
  ['docs/zh/reference/tools.md', true],
] as const
const TABLE = /(?<=<!-- tools -->\n)[\s\S]*?(?=\n<!-- end of tools -->)/

const modules = await loadProviders()
const providers = createRegistry(modules).all()
const withChat = providers.filter(({ chat }) => chat)

/** `MATRIX=write bun test tests/providers/hosted-tools.test.ts` updates the documents. */
test.each(DOCUMENTS)('%s has what becomes of every hosted tool at every provider', (path, isChinese) => {
  const document = readFileSync(path, 'utf8')
  const table = toToolTable(providers, isChinese)
  if (Bun.env.MATRIX === 'write') writeFileSync(path, document.replace(TABLE, table))
  expect(TABLE.exec(readFileSync(path, 'utf8'))?.[0]).toBe(table)
})

test.each(DOCUMENTS)('%s has the name of every hosted tool in every dialect', path => {
  const document = readFileSync(path, 'utf8')
  expect(HOSTED_TOOL_NAMES.filter(name => !document.includes(`| \`${name}\` |`))).toEqual([])
})

const DIALECTS: Readonly<Record<string, ClientDialect>> = { openai, responses, anthropic, gemini }
const USER = [{ role: 'user', content: 'hi' }]
const BODY_OF: Readonly<Record<string, JsonObject>> = {
  openai: { messages: USER },
  responses: { input: 'hi' },
  anthropic: { messages: USER, max_tokens: 500 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
}
const MCP = { label: 'docs', url: 'https://mcp.example/sse', token: 'the-token' }
const MCP_TOOL = {
  type: 'mcp',
  server_label: MCP.label,
  server_url: MCP.url,
  authorization: MCP.token,
  allowed_tools: ['search'],
  require_approval: 'never',
}
const MCP_SERVER = {
  type: 'url',
  name: MCP.label,
  url: MCP.url,
  authorization_token: MCP.token,
  tool_configuration: { allowed_tools: ['search'] },
}

/** How clients of a dialect request a tool that several providers have. */
const REQUESTS: readonly (readonly [dialect: string, tool: HostedToolName, fields: JsonObject])[] = [
  ['openai', 'web_search', { web_search_options: { search_context_size: 'high' } }],
  ['responses', 'web_search', { tools: [{ type: 'web_search' }] }],
  ['responses', 'web_search', { tools: [{ type: 'web_search_preview_2025_03_11' }] }],
  ['responses', 'code_execution', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
  ['responses', 'mcp', { tools: [MCP_TOOL] }],
  ['anthropic', 'web_search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['anthropic', 'web_search', { tools: [{ type: 'web_search_20991231', name: 'web_search' }] }],
  ['anthropic', 'web_fetch', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['anthropic', 'code_execution', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['anthropic', 'mcp', { mcp_servers: [MCP_SERVER] }],
  ['gemini', 'web_search', { tools: [{ google_search: {} }] }],
  ['gemini', 'web_fetch', { tools: [{ urlContext: {} }] }],
  ['gemini', 'code_execution', { tools: [{ codeExecution: {} }] }],
]

/** How the body of a provider's request names a tool. */
const NAMED_AS: Readonly<Record<string, Readonly<Partial<Record<HostedToolName, string>>>>> = {
  OpenAI: { web_search: '"web_search"', code_execution: '"code_interpreter"', mcp: '"server_label":"docs"' },
  xAI: { web_search: '"web_search"', code_execution: '"code_interpreter"', mcp: '"server_label":"docs"' },
  'Anthropic Claude': {
    web_search: '"web_search_20250305"',
    web_fetch: '"web_fetch_20250910"',
    code_execution: '"code_execution_20250825"',
    mcp: '"mcp_server_name":"docs"',
  },
  'Google Gemini': {
    web_search: '"googleSearch"',
    web_fetch: '"urlContext"',
    code_execution: '"codeExecution"',
  },
  'Vertex AI: Claude': { web_search: '"web_search_20250305"' },
  'Vertex AI: Gemini': {
    web_search: '"googleSearch"',
    web_fetch: '"urlContext"',
    code_execution: '"codeExecution"',
  },
  OpenRouter: { web_search: '"plugins":[{"id":"web"' },
  Perplexity: { web_search: '"web_search_options"' },
  'Ali Qwen': { web_search: '"enable_search":true' },
  'Zhipu GLM-4V': { web_search: '"web_search":{"enable":true' },
}

const FUNCTION_NAME = 'look_up'

const fixturesOf = (provider: Provider) =>
  readFixtures([...modules].find(([, module]) => module.provider === provider)?.[0] ?? '')

function request(
  dialect: string,
  { provider, model }: { provider: Provider; model: string },
  fields: JsonObject,
) {
  const client = DIALECTS[dialect]
  if (!client || !provider.chat) throw new Error(`${provider.name} has no chat in ${dialect}`)
  const parsed = client.chat.parse({ model, ...BODY_OF[dialect], ...fields }, { model })
  expect(parsed.nativeOnlyFeature).toBeUndefined()
  const { available, dropped } = selectHostedTools(parsed.hostedTools ?? { tools: [] }, {
    model,
    hasFunctions: asArray(parsed.body.tools).length > 0,
    hasFormat: parsed.body.response_format !== undefined,
    supported: provider.chat.hostedTools ?? [],
  })
  const call = {
    ...fixturesOf(provider).callOf(parsed.body, model),
    isTranslated: true,
    hostedTools: available,
  }
  const { body } = provider.chat.request(call)
  return { dropped, sent: body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body) }
}

/** The type of the tool, or the field that requests it. */
const nameOf = ({ tools, ...fields }: JsonObject): string => {
  const tool = asObject(asArray(tools)[0])
  return String(tool.type ?? Object.keys({ ...tool, ...fields })[0])
}

const CASES = REQUESTS.flatMap(([dialect, tool, fields]) =>
  withChat.flatMap(toRows).map(row => ({ dialect, tool, fields, row, name: row.name, type: nameOf(fields) })),
)

test.each(CASES)(
  'translates $type of $dialect for $name, or leaves it out',
  ({ dialect, tool, fields, row }) => {
    const { dropped, sent } = request(dialect, row, fields)
    const isMapped = toCell(row, tool).startsWith('mapped')
    const named = NAMED_AS[row.name]?.[tool]
    expect(dropped).toEqual(isMapped ? undefined : [tool])
    expect(named !== undefined).toBe(isMapped)
    if (named !== undefined) expect(sent).toContain(named)
  },
)

test.each(['OpenAI', 'Anthropic Claude'])('sends %s all settings of an MCP server', name => {
  const [row] = withChat.flatMap(toRows).filter(found => found.name === name)
  if (!row) throw new Error(`no provider ${name}`)
  for (const [dialect, fields] of [
    ['responses', { tools: [MCP_TOOL] }],
    ['anthropic', { mcp_servers: [MCP_SERVER] }],
  ] as const) {
    const { sent } = request(dialect, row, fields)
    for (const setting of [MCP.url, MCP.token, 'search']) expect(sent).toContain(setting)
  }
})

test.each([
  ['calls that need approval', { ...MCP_TOOL, require_approval: 'always' }],
  ['calls that need approval by default', { ...MCP_TOOL, require_approval: undefined }],
  ['headers of its own', { ...MCP_TOOL, headers: { 'x-key': 'secret' } }],
  [
    'a connector',
    { type: 'mcp', server_label: 'mail', connector_id: 'connector_gmail', require_approval: 'never' },
  ],
])('keeps an MCP server with %s from other providers', (_, tool) => {
  const [row] = withChat.flatMap(toRows).filter(({ name }) => name === 'Anthropic Claude')
  if (!row) throw new Error('no provider Anthropic')
  const { dropped, sent } = request('responses', row, { tools: [tool] })
  expect(dropped).toEqual(['mcp'])
  expect(sent).not.toContain('secret')
})

const SEARCH = {
  type: 'web_search',
  filters: { allowed_domains: ['example.com'] },
  user_location: { type: 'approximate', country: 'PT', city: 'Lisbon' },
  search_context_size: 'low',
}
const LOCATION = { country: 'PT', city: 'Lisbon' }

test.each([
  [
    'Anthropic Claude',
    {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: 1,
      allowed_domains: ['example.com'],
      user_location: { type: 'approximate', ...LOCATION },
    },
  ],
  ['OpenAI', SEARCH],
  ['xAI', SEARCH],
])('sends %s the options of a web search', (name, tool) => {
  const [row] = withChat.flatMap(toRows).filter(found => found.name === name)
  if (!row) throw new Error(`no provider ${name}`)
  const { sent } = request('responses', row, { tools: [SEARCH] })
  expect(asArray(asObject(JSON.parse(sent)).tools)).toEqual([tool])
})

/** A request of a Responses client to a model of Gemini. */
function requestGemini(model: string, fields: JsonObject) {
  const [row] = withChat.flatMap(toRows).filter(({ name }) => name === 'Google Gemini')
  if (!row) throw new Error('no provider Gemini')
  return request('responses', { ...row, model }, fields)
}

const FOR_JSON = { tools: [{ type: 'web_search' }], text: { format: { type: 'json_object' } } }
const WITH_FUNCTION = {
  tools: [
    { type: 'function', name: FUNCTION_NAME, parameters: { type: 'object' } },
    { type: 'web_search' },
    { type: 'code_interpreter', container: { type: 'auto' } },
  ],
}

test('leaves hosted tools out beside JSON and functions for older models of Gemini, which reject both together', () => {
  const forJson = requestGemini('gemini-2.5-pro', FOR_JSON)
  expect(forJson.dropped).toEqual(['web_search'])
  expect(forJson.sent).toContain('application/json')
  const { dropped, sent } = requestGemini('gemini-2.5-pro', WITH_FUNCTION)
  expect(dropped).toEqual(['web_search', 'code_execution'])
  expect(sent).toContain(FUNCTION_NAME)
  expect(sent).not.toMatch(/googleSearch|includeServerSideToolInvocations/)
})

test.each(['gemini-3-pro-preview', 'gemini-3.1-pro-preview', 'gemini-3.8-flash'])(
  'lets %s search beside JSON and functions',
  model => {
    const forJson = requestGemini(model, FOR_JSON)
    expect(forJson.dropped).toBeUndefined()
    expect(forJson.sent).toContain('application/json')
    const { dropped, sent } = requestGemini(model, WITH_FUNCTION)
    expect(dropped).toEqual(['code_execution'])
    for (const part of [FUNCTION_NAME, 'googleSearch', '"includeServerSideToolInvocations":true'])
      expect(sent).toContain(part)
  },
)

const SCHEMA = { type: 'object', properties: {} }

/** The tools that coding agents send when nothing is configured. */
const DEFAULT_TOOLS: readonly (readonly [agent: string, dialect: string, tools: readonly JsonObject[]])[] = [
  [
    'Codex',
    'responses',
    [
      { type: 'function', name: 'exec_command', strict: false, parameters: SCHEMA },
      {
        type: 'custom',
        name: 'apply_patch',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
      {
        type: 'namespace',
        name: 'mcp__docs',
        tools: [{ type: 'function', name: 'search', parameters: SCHEMA }],
      },
      { type: 'web_search', external_web_access: true },
      { type: 'image_generation', output_format: 'png' },
      { type: 'tool_search', execution: 'client', parameters: SCHEMA },
      { type: 'local_shell' },
    ],
  ],
  [
    'Claude Code',
    'anthropic',
    [
      { name: 'Bash', input_schema: SCHEMA },
      { name: 'Edit', input_schema: SCHEMA },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
      { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
      { type: 'advisor_20260301', name: 'advisor' },
    ],
  ],
]

const takesFunctions = (provider: Provider): boolean =>
  [...fixturesOf(provider).expectations.values()].some(({ tool_calls }) => tool_calls !== undefined)

test.each(
  DEFAULT_TOOLS.flatMap(([agent, dialect, tools]) =>
    withChat.flatMap(toRows).map(row => ({ agent, dialect, tools, row, name: row.name })),
  ),
)("accepts $agent's default tools for $name", ({ dialect, tools, row }) => {
  const { sent } = request(dialect, row, { tools })
  if (takesFunctions(row.provider)) expect(sent).toContain(dialect === 'anthropic' ? 'Bash' : 'exec_command')
})

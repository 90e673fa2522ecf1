import { describe, expect, test } from 'bun:test'
import { readServerTools } from './body-terms.ts'
import { readRequestedTerms } from './hosted-tools.ts'
import type { JsonObject } from './json.ts'
import { FormFile } from './json.ts'
import { findServerTool, withoutServerTools } from './server-tools.ts'

const FUNCTION = { type: 'function', name: 'f', parameters: { type: 'object' } }
const SKILLS = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }]

/** Forms in which a body makes a provider run something, by whoever documents or tolerates them. */
const PROVIDER_TOOLS: Readonly<Record<string, JsonObject>> = {
  "OpenAI's search": { tools: [{ type: 'web_search' }] },
  "OpenAI's preview": { tools: [{ type: 'web_search_preview_2025_03_11' }] },
  "OpenAI's files": { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
  "OpenAI's interpreter": { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
  "OpenAI's pictures": { tools: [{ type: 'image_generation' }] },
  'an MCP server': { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://mcp.example' }] },
  'a hosted shell': { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
  'a shell in a known container': {
    tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } }],
  },
  'a shell in an unknown place': { tools: [{ type: 'shell', environment: 'remote' }] },
  'a tool in a namespace': { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] }] },
  'a tool two namespaces deep': {
    tools: [
      { type: 'namespace', name: 'n', tools: [{ type: 'namespace', name: 'm', tools: [{ type: 'mcp' }] }] },
    ],
  },
  'additional tools': {
    input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] }],
  },
  'found tools': {
    input: [{ type: 'tool_search_output', call_id: 'c', tools: [{ type: 'code_interpreter' }] }],
  },
  'tools of a message': { messages: [{ role: 'system', tools: [{ type: 'web_search' }] }] },
  'a stored prompt': { prompt: { id: 'pmpt_1' } },
  'an unknown type': { tools: [{ type: 'quantum_oracle' }] },
  'a type in capitals': { tools: [{ type: 'WEB_SEARCH' }] },
  'a type that begins as a function': { tools: [{ type: 'function_search' }] },
  'a type that is no text': { tools: [{ type: ['function'] }] },
  'an entry that is a text': { tools: ['web_search'] },
  'one tool without a list': { tools: { type: 'web_search' } },
  'a name alone': { tools: [{ name: 'web_search' }] },
  "Kimi's search": { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
  "Kimi's search as a function": { tools: [{ type: 'function', function: { name: '$web_search' } }] },
  "Claude's search": { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  "Claude's code": { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
  "Claude's advisor": { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'm' }] },
  "Claude's MCP toolset": { tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] },
  "Claude's MCP servers": { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] },
  "Claude's skills": { container: { skills: SKILLS } },
  "Gemini's search": { tools: [{ googleSearch: {} }] },
  "Gemini's search as a list": { tools: [{ googleSearch: [] }] },
  "Gemini's maps": { tools: [{ googleMaps: {} }] },
  "Gemini's code": { tools: [{ code_execution: {} }] },
  "Gemini's pages": { tools: [{ urlContext: {} }] },
  "Gemini's tools of tomorrow": { tools: [{ timeMachine: {} }] },
  "Gemini's search with a name": { tools: [{ googleSearch: {}, name: 'f' }] },
  "Gemini's search with a type": { tools: [{ googleSearch: {}, type: 'function' }] },
  "Gemini's search beside functions": { tools: [{ googleSearch: {}, functionDeclarations: [] }] },
  "Gemini's tools without a list": { tools: { googleSearch: {} } },
  'search options of a chat': { web_search_options: {} },
  "xAI's search": { search_parameters: { mode: 'auto' } },
  "Alibaba's search": { enable_search: true },
  "Alibaba's interpreter": { enable_code_interpreter: true },
  "Baidu's search": { web_search: { enable: true } },
  "Cohere's connectors": { connectors: [{ id: 'web-search' }] },
  "Azure's data": { data_sources: [{ type: 'azure_search' }] },
  "Tencent's enhancement": { enable_enhancement: true },
  "OpenRouter's search": { plugins: [{ id: 'web' }] },
  "OpenRouter's PDF reader": { plugins: [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }] },
  "OpenRouter's preset": { preset: 'research' },
  'fields that an SDK adds': { extra_body: { enable_search: true } },
  "tools in Google's fields": { extra_body: { google: { tools: [{ googleSearch: {} }] } } },
  'MCP servers in camel case': { mcpServers: { x: { url: 'https://mcp.example' } } },
  'a field for MCP': { mcp: { servers: ['x'] } },
  'a field for built-in tools': { builtin_tools: ['web'] },
  'a field for hosted tools': { hostedTools: [{ type: 'web' }] },
  'tools in capitals that an SDK adds': { extra_body: { Tools: [{ type: 'web_search' }] } },
  'fields that an SDK adds in camel case': { extraBody: { tools: [{ type: 'web_search' }] } },
  "an SDK's configuration": { config: { tools: [{ googleSearch: {} }] } },
  'a realtime session': { type: 'session.update', session: { tools: [{ type: 'mcp', server_label: 'x' }] } },
  'a realtime response': { type: 'response.create', response: { tools: [{ type: 'web_search' }] } },
  "a realtime session's prompt": { type: 'session.update', session: { prompt: { id: 'pmpt_1' } } },
}

/** The same in objects of other names, lenient lists, and spellings of servers that are not well known. */
const OTHER_SPELLINGS: Readonly<Record<string, JsonObject>> = {
  "Groq's compound tools": { compound_custom: { tools: { enabled_tools: ['web_search'] } } },
  "Gemini's live setup": { setup: { tools: [{ googleSearch: {} }] } },
  "a realtime conversation's item": { item: { type: 'additional_tools', tools: [{ type: 'web_search' }] } },
  'an agent': { agent: { tools: [{ type: 'web_search' }] } },
  'options of a provider': { provider_options: { openai: { tools: [{ type: 'mcp' }] } } },
  'options of a model': { model_kwargs: { web_search_options: {} } },
  'a configuration of the generation': { generationConfig: { tools: [{ googleSearch: {} }] } },
  'parameters of a body': { parameters: { enable_search: true } },
  'one item without a list': { input: { type: 'additional_tools', tools: [{ type: 'web_search' }] } },
  'one block without a list': {
    messages: [{ role: 'system', content: { tool: { definition: { type: 'web_search_20260318' } } } }],
  },
  'tools of a block': { messages: [{ role: 'user', content: [{ type: 'x', tools: [{ type: 'mcp' }] }] }] },
  "tools of Gemini's content": { contents: [{ role: 'user', tools: [{ urlContext: {} }] }] },
  'a list within the list': { tools: [[{ type: 'web_search' }]] },
  'resources of tools': { tool_resources: { file_search: { vector_store_ids: ['vs_1'] } } },
  'an MCP server of a function': { tools: [{ type: 'function', name: 'f', mcpServer: { url: 'x' } }] },
  'an address of a function': { tools: [{ type: 'custom', name: 'f', server_url: 'https://mcp.example' }] },
  "Tencent's pictures of the web": { enable_multimedia: true },
  'grounding by another name': { enable_grounding: true },
  'the internet by name': { use_internet: true },
  'an online mode': { online: true },
  'a base of knowledge': { knowledge_base_ids: ['kb_1'] },
  "an assistant's own tools": { assistant_id: 'asst_1' },
  'a prompt by its id': { prompt_id: 'pmpt_1' },
  'fields that an SDK adds as a list': { extra_body: [{ tools: [{ type: 'web_search' }] }] },
  'fields within fields that an SDK adds': { extra_body: { extra_body: { tools: [{ type: 'mcp' }] } } },
  'a list of agents in a list': { agents: [[{ tools: [{ type: 'web_search' }] }]] },
  'options of fallbacks': { fallbacks: [{ model: 'm', tools: [{ type: 'web_search' }] }] },
  'a type within a function': { tools: [{ type: 'function', function: { name: 'f', type: 'web_search' } }] },
  'a type within a custom tool': { tools: [{ type: 'custom', custom: { name: 'f', type: 'mcp' } }] },
  'a type within a declaration': { tools: [{ functionDeclarations: [{ name: 'f', type: 'web_search' }] }] },
  'an address within a function': {
    tools: [{ type: 'function', function: { name: 'f', server_url: 'https://mcp.example' } }],
  },
  'a server within a function': { tools: [{ type: 'function', function: { name: 'f', mcp: {} } }] },
  'tools in a search of tools': { tools: [{ type: 'tool_search', tools: [{ type: 'web_search' }] }] },
  "tools in Claude's search of tools": {
    tools: [{ type: 'tool_search_tool_bm25_20251119', name: 't', tools: [{ type: 'mcp_toolset' }] }],
  },
  'a search of tools within found tools': {
    input: [{ type: 'tool_search_output', tools: [{ type: 'tool_search', tools: [{ type: 'mcp' }] }] }],
  },
  'functions of a namespace': { tools: [{ type: 'namespace', name: 'n', functions: [{ type: 'mcp' }] }] },
  'tools of a function': { tools: [{ ...FUNCTION, tools: [{ type: 'web_search' }] }] },
  'an item in a list of its own': {
    input: [[{ type: 'additional_tools', tools: [{ type: 'web_search' }] }]],
  },
  "Kimi's search as an old function": { functions: [{ name: '$web_search' }] },
  'an old function with a type': { functions: [{ name: 'f', type: 'web_search' }] },
  "Bedrock's grounding": { toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } },
  "Bedrock's grounding in snake case": { tool_config: { tools: [{ system_tool: { name: 'x' } }] } },
  'a list of stored prompts': { prompt: [{ id: 'pmpt_1' }] },
  'a workflow': { workflow: { id: 'wf_1' } },
  'a stored agent': { agent: { id: 'agent_1' } },
  'a shell with a stored skill': {
    tools: [{ type: 'shell', environment: { type: 'local', skills: [{ skill_id: 's' }] } }],
  },
  'a searching model among others': { models: ['m', 'x:online'] },
  'a searching fallback': { fallbacks: [{ model: 'x:online' }] },
}

const addition = (definition: object) => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition },
})
const CLAUDE_SEARCH = { type: 'web_search_20260318', name: 'web_search' }
const conversation = (...content: object[]) => ({ messages: [{ role: 'system', content }] })

/** Tools that come with the conversation, or with agents of the request. */
const BROUGHT_TOOLS: Readonly<Record<string, JsonObject>> = {
  'a block that adds a search': conversation({ type: 'text', text: 'now' }, addition(CLAUDE_SEARCH)),
  'only a block that adds code execution': conversation(
    addition({ type: 'code_execution_20260521', name: 'c' }),
  ),
  'a block that adds MCP': conversation(addition({ type: 'mcp_toolset', mcp_server_name: 's' })),
  'an addition in a compaction': conversation({
    type: 'compaction',
    tool_changes: [addition(CLAUDE_SEARCH)],
  }),
  'a block with an unknown tool': conversation(addition({ type: 'of_tomorrow_20270101', name: 't' })),
  'agents by name': { agents: { a: { tools: [{ type: 'web_search' }] } } },
  'a list of agents': { agents: [{ name: 'a', mcp_servers: [{ url: 'u' }] }] },
  'agents of agents': { sub_agents: [{ agents: [{ tools: [CLAUDE_SEARCH] }] }] },
  'an agent with skills': { agents: { a: { container: { skills: [{ skill_id: 'pptx' }] } } } },
}

test.each(Object.entries(BROUGHT_TOOLS))('finds and removes %s', (_, body) => {
  expect(findServerTool(body)).toBeString()
  expect(findServerTool(withoutServerTools(body))).toBeUndefined()
})

test('removes nothing but the tools of the provider from a conversation', () => {
  const own = addition({ name: 'f', input_schema: { type: 'object' } })
  const text = { type: 'text', text: 'hi' }
  const compaction = { type: 'compaction', content: 'c', tool_changes: [own, addition(CLAUDE_SEARCH)] }
  const { messages } = withoutServerTools({
    messages: [
      { role: 'system', content: [addition(CLAUDE_SEARCH)] },
      { role: 'user', content: [text, own, addition(CLAUDE_SEARCH), compaction] },
      { role: 'user', content: 'plain' },
      { role: 'user', content: [] },
    ],
  })
  expect(messages).toEqual([
    { role: 'user', content: [text, own, { ...compaction, tool_changes: [own] }] },
    { role: 'user', content: 'plain' },
    { role: 'user', content: [] },
  ])
})

test('holds for a tool that a block adds, and names its model', () => {
  const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' }
  const terms = readRequestedTerms(
    conversation(addition(CLAUDE_SEARCH), addition(advisor)),
    'claude-haiku-4-5',
  )
  expect(terms.extras?.webSearches).toBe(10)
  expect(terms.otherModels).toEqual([{ name: 'claude-opus-4-8', isOfTool: false }])
})

/** What the client executes, or what only describes it. */
const CLIENT_TOOLS: Readonly<Record<string, JsonObject>> = {
  'no tools': { messages: [{ role: 'user', content: 'web_search' }] },
  'a function of Responses': { tools: [FUNCTION] },
  'a function of Chat': { tools: [{ type: 'function', function: { name: 'search', parameters: {} } }] },
  'a custom tool': { tools: [{ type: 'custom', name: 'sql', format: { type: 'text' } }] },
  "Claude's tool": { tools: [{ name: 'search', description: 'd', input_schema: { type: 'object' } }] },
  "Claude's tool with a type": { tools: [{ type: 'custom', name: 's', input_schema: {} }] },
  "Claude's own tools": {
    tools: [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'computer_20251124', name: 'computer' },
    ],
  },
  "Claude's tool search": { tools: [{ type: 'tool_search_tool_regex_20251119', name: 't' }] },
  "Gemini's functions": { tools: [{ functionDeclarations: [{ name: 'search' }] }] },
  "Gemini's functions in snake case": { tools: [{ function_declarations: [{ name: 'f' }] }] },
  'a namespace of functions': { tools: [{ type: 'namespace', name: 'n', tools: [FUNCTION] }] },
  "Codex's tools": {
    tools: [{ type: 'local_shell' }, { type: 'apply_patch' }, { type: 'tool_search' }, { type: 'shell' }],
  },
  'a shell of the client': { tools: [{ type: 'shell', environment: { type: 'local' } }] },
  'a shell with a skill of the client': {
    tools: [{ type: 'shell', environment: { type: 'local', skills: [{ name: 's', path: '/s' }] } }],
  },
  "Bedrock's functions": { toolConfig: { tools: [{ toolSpec: { name: 'search', inputSchema: {} } }] } },
  'an old function': { functions: [{ name: 'search', parameters: {} }] },
  'functions in a search of tools': { tools: [{ type: 'tool_search', tools: [FUNCTION] }] },
  'other models': { models: ['a', 'b'], fallbacks: [{ model: 'c' }] },
  'an agent of the client': { agent: { name: 'a' } },
  'a grammar': { tools: [{ type: 'custom', custom: { name: 'f', format: { type: 'grammar' } } }] },
  'additional functions': { input: [{ type: 'additional_tools', tools: [FUNCTION] }] },
  'no tools by other names': { disable_tools: true, builtin_tools: [], max_tools: 0 },
  'a prompt to complete': { prompt: 'search the web' },
  'a search that is off': { search_parameters: { mode: 'off' }, enable_search: false, plugins: [] },
  'a search that is disabled': { web_search: { enable: false }, disable_search: true },
  'filters of a search': { search_recency_filter: 'day', search_mode: 'web' },
  'a realtime function': { type: 'session.update', session: { tools: [FUNCTION] } },
  'a function of a live setup': { setup: { tools: [{ functionDeclarations: [{ name: 'search' }] }] } },
  'edits of a context': {
    context_management: { edits: [{ type: 'clear_tool_uses_20250919', exclude_tools: ['web_search'] }] },
  },
  'a choice among tools': {
    tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }] },
  },
  'a schema with such names': { response_format: { json_schema: { schema: { web_search: true } } } },
  "places of Gemini's retrieval": { toolConfig: { retrievalConfig: { latLng: { latitude: 1 } } } },
  'metadata with such names': { metadata: { plugins: 'web', knowledge: 'x' } },
}

describe('tools of the provider', () => {
  test.each(Object.entries({ ...PROVIDER_TOOLS, ...OTHER_SPELLINGS }))('finds and removes %s', (_, body) => {
    expect(findServerTool(body)).toBeString()
    expect(findServerTool(withoutServerTools(body))).toBeUndefined()
  })

  test.each(Object.entries(PROVIDER_TOOLS))('keeps the functions beside %s', (_, body) => {
    const own = Array.isArray(body.tools) ? body.tools : body.tools ? [body.tools] : []
    const kept = withoutServerTools({ ...body, tools: [...own, FUNCTION], temperature: 1 })
    expect(kept).toMatchObject({ tools: expect.arrayContaining([FUNCTION]), temperature: 1 })
  })

  test.each(Object.entries(CLIENT_TOOLS))('lets through %s', (_, body) => {
    expect(findServerTool(body)).toBeUndefined()
    expect(readServerTools(body)).toEqual([])
  })
})

const HIDDEN_TOOLS: Readonly<Record<string, JsonObject>> = {
  'one tool alone': { tool: { type: 'web_search' } },
  'a set of tools': { toolset: [{ type: 'web_search' }] },
  'a list of tools by another name': { tool_list: [{ type: 'image_generation' }] },
  'a name with a blank': { 'tools ': [{ type: 'web_search' }] },
  'tools of a text': { text: { tools: [{ type: 'web_search' }] } },
  'tools of the reasoning': { reasoning: { tools: [{ type: 'mcp', server_url: 'u' }] } },
  'tools of a message in capitals': { messages: [{ role: 'user', content: 'x', Tools: [{ type: 'mcp' }] }] },
  'tools of a system block': { system: [{ type: 'text', text: 'x', tools: [CLAUDE_SEARCH] }] },
  "tools of Gemini's instruction": { systemInstruction: { parts: [], tools: [{ googleSearch: {} }] } },
  "tools of Gemini's parts": { contents: [{ parts: [{ text: 'x', tools: [{ googleSearch: {} }] }] }] },
  'tools of an output': { input: [{ type: 'function_call_output', output: [{ tools: [{ type: 'mcp' }] }] }] },
  'an addition within a result': {
    messages: [{ role: 'user', content: [{ type: 'tool_result', content: [addition(CLAUDE_SEARCH)] }] }],
  },
  'children of a namespace': { tools: [{ type: 'namespace', name: 'n', children: [{ type: 'mcp' }] }] },
  'functions of a function': {
    tools: [{ type: 'function', function: { name: 'f', functions: [{ type: 'web_search' }] } }],
  },
  "Kimi's search within a function": {
    tools: [{ type: 'function', function: { name: 'f', function: { name: '$web_search' } } }],
  },
  'a local shell in a container': {
    tools: [{ type: 'local_shell', environment: { type: 'container_auto' } }],
  },
  'patches in a container': { tools: [{ type: 'apply_patch', environment: [{ type: 'container_auto' }] }] },
  'a type of a family of its own': { options: { helper: { type: 'openrouter:web_search' } } },
}

describe('tools of the provider where none belongs', () => {
  test.each(Object.entries(HIDDEN_TOOLS))('are found: %s', (_, body) => {
    expect(findServerTool(body)).toBeDefined()
  })

  test('are not what a conversation repeats, a client names or a schema describes', () => {
    const schema = { type: 'object', properties: { tools: { type: 'web_search' }, type: { type: 'mcp' } } }
    const input = [
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
      { type: 'mcp_call', name: 'f', arguments: '{}', server_label: 'x' },
      { type: 'mcp_list_tools', server_label: 'x', tools: [{ name: 'f', input_schema: schema }] },
      { type: 'code_interpreter_call', code: 'x', container_id: 'c' },
      { type: 'computer_call', action: { type: 'screenshot' }, environment: 'browser' },
    ]
    const content = [
      { type: 'server_tool_use', name: 'web_search', input: { tools: [{ type: 'web_search' }] } },
      { type: 'tool_use', name: 'f', input: { tools: [{ type: 'mcp' }], environment: { type: 'x' } } },
      { type: 'web_search_tool_result', content: [{ type: 'web_search_result', url: 'u' }] },
    ]
    const parts = [{ functionCall: { name: 'f', args: { tools: [{ type: 'mcp' }] } } }]
    const replies = [{ functionResponse: { name: 'f', response: { tools: [{ type: 'mcp' }] } } }]
    const bodies: readonly JsonObject[] = [
      { input },
      { messages: [{ role: 'assistant', content }] },
      { contents: [{ parts }, { parts: replies }] },
      { tools: [{ ...FUNCTION, parameters: schema }] },
    ]
    for (const body of bodies) expect([body, findServerTool(body)]).toEqual([body, undefined])
  })
})

test('removes no more of a tool than what the provider runs', () => {
  const search = { type: 'web_search' }
  expect(
    withoutServerTools({
      tools: [
        { type: 'tool_search', tools: [FUNCTION, search] },
        { type: 'namespace', name: 'n', functions: [FUNCTION, search] },
        { ...FUNCTION, mcpServer: {}, tools: [search] },
      ],
      functions: [{ name: 'f' }, { name: '$web_search' }],
      extra_body: [{ tools: [FUNCTION, search] }, 'x'],
    }),
  ).toEqual({
    tools: [
      { type: 'tool_search', tools: [FUNCTION] },
      { type: 'namespace', name: 'n', functions: [FUNCTION] },
      { ...FUNCTION, tools: [] },
    ],
    functions: [{ name: 'f' }],
    extra_body: [{ tools: [FUNCTION] }, 'x'],
  })
})

test('holds for a container as long as the provider keeps it, whatever its size', () => {
  const tools = [
    { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } },
    { type: 'shell', environment: { type: 'container_auto' } },
    { type: 'code_interpreter' },
  ]
  expect(readRequestedTerms({ tools }, 'gpt-5.5').extras?.toolCalls).toEqual({
    container_64g: 20,
    container_1g: 20,
    code_interpreter: 1,
  })
})

const MCP = { type: 'mcp', server_url: 'https://mcp.example' }

/** What no list of tools knows: fields that nobody documents, choices, and metadata. */
const UNDOCUMENTED: Readonly<Record<string, JsonObject>> = {
  'an app': { app_id: 'a1' },
  'an app in camel case': { appId: 'a1' },
  'an application': { application: { key: 'x' } },
  'a number that names an app': { app_id: 12345 },
  'an assistant by name': { assistant: 'asst_1' },
  'a bot by name': { bot: 'b1' },
  'a workflow by name': { workflow: 'wf_1' },
  'an agent by name': { agent: 'deep-research' },
  'a pipeline': { pipeline_id: 'p' },
  'a flow': { flow_id: 'f' },
  'a template of a prompt': { prompt_template_id: 't' },
  'a stored prompt as instructions': { instructions: { id: 'pmpt_1' } },
  'a switch': { enable_ci: true },
  'a switch by number': { hosted: 1 },
  'pictures as a switch': { image_generation: true },
  features: { features: ['web_search'] },
  abilities: { capabilities: { browsing: true } },
  extensions: { extensions: [{ id: 'web' }] },
  'a sandbox': { environment: { type: 'container_auto' } },
  'definitions of tools': { tool_specs: ['web_search'] },
  'a field with a blank': { 'app ': 'a' },
  'a field that an SDK adds': { extra_body: { app_id: 'a' } },
  'a field in a list that an SDK adds': { extra_body: [{ gizmo_id: 'g' }] },
  'fields as text': { extra_body: '{"tools":[{"type":"web_search"}]}' },
  'a field of a session': { type: 'session.update', session: { app_id: 'a' } },
  'modalities that search': { modalities: ['text', 'web_search'] },
  'a choice alone': { tool_choice: { type: 'web_search' } },
  'a choice as text': { tool_choice: 'web_search' },
  'a choice of a server': { tool_choice: { type: 'mcp', server_label: 'x' } },
  'a choice by name': { tool_choice: { type: 'tool', name: 'web_search' } },
  'a choice in camel case': { toolChoice: { type: 'code_interpreter' } },
  'a choice among hosted tools': { tool_choice: { type: 'allowed_tools', tools: [{ type: 'web_search' }] } },
  'a choice among them, nested': {
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'web_search' }] } },
  },
  "a choice of Kimi's search": { tool_choice: { type: 'function', function: { name: '$web_search' } } },
  "a choice by Gemini's field": { tool_choice: { google_search: {} } },
  'an old choice': { function_call: { name: '$web_search' } },
  'tools in metadata': { metadata: { tools: [MCP] } },
  'tools in metadata as text': { metadata: { tools: '[{"type":"web_search"}]' } },
  'metadata as text': { metadata: '{"tools":[{"type":"mcp"}]}' },
  'metadata too long to be read': { metadata: { x: `[${'1,'.repeat(3_000)}1]` } },
  'a tool named in metadata': { metadata: { tool: 'web_search' } },
  'a list of tools named in metadata': { metadata: { enabled: ['code_interpreter'] } },
  'a switch in metadata': { metadata: { web_search: true } },
  'metadata of a router': { litellm_metadata: { tools: [MCP] } },
}

/** Parameters that are documented, and choices among the client's own tools. */
const DOCUMENTED: readonly JsonObject[] = [
  { tool_choice: 'auto' },
  { tool_choice: 'validated', tools: [FUNCTION] },
  { tool_choice: 'f', tools: [FUNCTION] },
  { tool_choice: { type: 'any', disable_parallel_tool_use: true }, tools: [FUNCTION] },
  { tool_choice: { type: 'function', name: 'f' }, tools: [FUNCTION] },
  { tool_choice: { type: 'custom', custom: { name: 'f' } } },
  { tool_choice: { type: 'shell' }, tools: [{ type: 'shell' }] },
  { tool_choice: { type: 'apply_patch' }, tools: [{ type: 'apply_patch' }] },
  {
    tool_choice: { type: 'tool', name: 'web_search' },
    tools: [{ name: 'web_search', input_schema: { type: 'object' } }],
  },
  {
    tool_choice: { type: 'function', function: { name: 'web_search' } },
    tools: [{ type: 'function', function: { name: 'web_search', parameters: {} } }],
  },
  { function_call: 'auto', functions: [{ name: 'f', parameters: {} }] },
  { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } } },
  { metadata: { task: 'search the web', web_search: 'the page', plugins: 'web', user_id: 'u' } },
  { metadata: { json: '{"note":"x"}', list: '[1' } },
  { modalities: ['text', 'audio'], include: ['reasoning.encrypted_content'] },
  {
    max_tokens: 9,
    maxOutputTokens: 9,
    top_k: 1,
    min_p: 0.1,
    repetition_penalty: 1.1,
    chat_template_kwargs: {},
  },
  {
    enable_thinking: true,
    thinking_budget: 100,
    thinking: { type: 'enabled' },
    reasoning: { effort: 'low' },
  },
  { extra_body: { enable_thinking: true, google: { thinking_config: {} } } },
  { size: '1024x1024', quality: 'high', 'image[]': 'x', output_format: 'png', negative_prompt: 'rain' },
  { voice: 'alloy', stream_format: 'sse', 'timestamp_granularities[]': 'word' },
  {
    dimensions: 256,
    encoding_format: 'float',
    query: 'q',
    documents: ['web_search'],
    return_documents: true,
  },
  { generationConfig: {}, safetySettings: [], systemInstruction: {}, labels: {} },
  {
    type: 'session.update',
    event_id: 'e',
    session: { voice: 'alloy', turn_detection: { type: 'server_vad' } },
  },
]

describe('fields that nobody documents', () => {
  test.each(Object.entries(UNDOCUMENTED))('may be tools of the provider, and are removed: %s', (_, body) => {
    expect(findServerTool(body)).toBeString()
    expect(findServerTool(withoutServerTools(body))).toBeUndefined()
  })

  test.each(DOCUMENTED)('are not those of %j', body => {
    expect(findServerTool(body)).toBeUndefined()
    expect(withoutServerTools(body)).toEqual(body)
  })

  test('are removed alone', () => {
    const body = {
      metadata: { tool: 'web_search', note: 'x' },
      tool_choice: 'web_search',
      extra_body: { app_id: 'a', seed: 1 },
      app_id: 'a',
      seed: 1,
    }
    expect(withoutServerTools(body)).toEqual({ metadata: { note: 'x' }, extra_body: { seed: 1 }, seed: 1 })
  })
})

test('a file of a form is neither searched nor changed, however large', () => {
  const image = new FormFile({ name: 'other', mediaType: 'image/png', bytes: new Uint8Array(20_000_000) })
  const body = { model: 'own', image: [image], web_search: image, prompt: 'a cat', web_fetch: true }
  const startMs = performance.now()
  expect(findServerTool(body)).toBe('web_search')
  expect(withoutServerTools(body)).toEqual({ model: 'own', image: [image], prompt: 'a cat' })
  expect(readRequestedTerms({ model: 'own', image: [image] }, 'own').mentions ?? []).toEqual([])
  expect(performance.now() - startMs).toBeLessThan(1_000)
})

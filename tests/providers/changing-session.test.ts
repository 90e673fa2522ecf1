import { afterEach, expect, test } from 'bun:test'
import type { Send } from '#server/http-client/send.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { asObject, parseJson } from '#server/provider-kit/json.ts'
import { receivedBody, receivedResponse } from '#server/testing/received-response.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import {
  CALLED_TOOLS,
  chatDriver,
  generateDriver,
  messagesDriver,
  responsesDriver,
  type SessionDriver,
} from './session-drivers.ts'

let relay: TestRelay | undefined
afterEach(() => relay?.close())

/** A channel type and its model. */
const FAMILIES: Readonly<Record<string, readonly [type: number, model: string]>> = {
  openai: [1, 'gpt-5.5'],
  anthropic: [14, 'claude-sonnet-4-5'],
  gemini: [24, 'gemini-3-pro-preview'],
  deepseek: [43, 'deepseek-v4-pro'],
  moonshot: [25, 'kimi-k2.6'],
  xai: [48, 'grok-4'],
  custom: [8, 'mimo-v2-pro'],
}
const MODELS = Object.keys(FAMILIES)
const REQUESTS = 20
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'
const LAB = 'http://lab.test/lab'
const BASE_URLS: Readonly<Record<string, string>> = {
  custom: `${LAB}/v1/chat/completions`,
  deepseek: `${LAB}/v1`,
}

/** Tokens of a response, as its provider counted them. The last figure of a stream counts. */
function countTokens(text: string): number {
  const figureOf = (name: string): number =>
    Number([...text.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].at(-1)?.[1] ?? 0)
  const names = text.includes('"usageMetadata"')
    ? ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount']
    : text.includes('"prompt_tokens"')
      ? ['prompt_tokens', 'completion_tokens']
      : ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
  return names.reduce((sum, name) => sum + figureOf(name), 0)
}

async function openGateway() {
  const lab = createLab()
  const rejections: string[] = []
  let labTokens = 0
  const send: Send = async ({ url, headers, body }) => {
    const sent = receivedBody(body) ?? ''
    const response = await lab.fetch(new Request(url, { method: 'POST', headers, body: sent }))
    const text = await response.text()
    if (response.ok) labTokens += countTokens(text)
    else rejections.push(`${url} ${response.status} ${text}`)
    return receivedResponse(new Response(text, response))
  }
  const all = (figure: number) => Object.fromEntries(MODELS.map(model => [model, figure]))
  const prices = testPrices({ ModelRatio: all(1), CompletionRatio: all(1), CacheRatio: all(1) })
  relay = await TestRelay.open({ send, prices, wallet: 1_000_000_000 })
  for (const [model, [type, upstream]] of Object.entries(FAMILIES))
    await relay.addChannel({
      type,
      models: model,
      base_url: BASE_URLS[model] ?? LAB,
      model_mapping: JSON.stringify({ [model]: upstream }),
    })
  const turns = [
    {
      calls: CALLED_TOOLS.map(tool => ({ tool, arguments: { path: 'a' } })),
      faults: 'reasoning-6',
    },
    { text: 'All of it is there.', faults: 'reasoning-6' },
  ]
  const playbook = new Request(`${LAB}/control/playbooks/work`, {
    method: 'PUT',
    body: JSON.stringify({ turns }),
  })
  expect((await lab.fetch(playbook)).ok).toBe(true)
  return { relay, key: await relay.addToken(), rejections, labTokens: () => labTokens }
}

/** The user speaks, or the client returns results, in turns. */
async function play(
  gateway: Awaited<ReturnType<typeof openGateway>>,
  driver: SessionDriver,
  { turn, isStream }: { readonly turn: number; readonly isStream: boolean },
): Promise<void> {
  const model = MODELS[turn % MODELS.length] ?? ''
  const isQuestion = turn % 2 === 0
  if (isQuestion) driver.addUser('Please look. [playbook:work]', turn === 4 ? IMAGE : undefined)
  const path = driver.path(model, isStream)
  const response = await gateway.relay.request(path, gateway.key, driver.body(model, isStream))
  const text = await response.text()
  expect(gateway.rejections).toEqual([])
  expect(response.status).toBe(200)
  const calls = driver.addReply(isStream ? driver.readStream(text) : asObject(parseJson(text)))
  expect(calls.map(({ name }) => name)).toEqual(isQuestion ? [...CALLED_TOOLS] : [])
  if (calls.length > 0) driver.addResults(calls)
}

const SESSIONS = [
  ['chat completions', chatDriver],
  ['messages', messagesDriver],
  ['responses', responsesDriver],
  ['generateContent', generateDriver],
] as const

test.each(
  SESSIONS.flatMap(([name, createDriver]) => [
    [name, false, createDriver] as const,
    [`streamed ${name}`, true, createDriver] as const,
  ]),
)(
  'a session of %s changes its provider with every request, and is charged what the providers counted',
  async (_, isStream, createDriver) => {
    const gateway = await openGateway()
    const driver = createDriver()
    for (let turn = 0; turn < REQUESTS; turn++) await play(gateway, driver, { turn, isStream })
    const rows = await gateway.relay.db.selectFrom('logs').select('quota').where('quota', '>', 0).execute()
    expect(rows).toHaveLength(REQUESTS)
    expect(rows.reduce((sum, { quota }) => sum + Number(quota), 0)).toBe(gateway.labTokens())
  },
  60_000,
)

const SHELL_RESULT = { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }
const LOOK = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
const CLIENT_ITEMS = [
  {
    type: 'tool_search_call',
    call_id: 'c1',
    execution: 'client',
    status: 'completed',
    arguments: { q: 'x' },
  },
  { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'completed', tools: [LOOK] },
  { type: 'shell_call', call_id: 'c2', action: { commands: ['ls'], timeout_ms: 1_000 }, status: 'completed' },
  { type: 'shell_call_output', call_id: 'c2', output: [SHELL_RESULT] },
  { type: 'apply_patch_call', call_id: 'c3', operation: { type: 'create_file', path: 'a', diff: '+x' } },
  { type: 'apply_patch_call_output', call_id: 'c3', status: 'completed' },
  { type: 'computer_call', call_id: 'c4', actions: [{ type: 'screenshot' }], pending_safety_checks: [] },
  { type: 'computer_call_output', call_id: 'c4', output: { type: 'computer_screenshot', image_url: IMAGE } },
  { type: 'local_shell_call', call_id: 'c5', action: { type: 'exec', command: ['ls'], env: {} } },
  { type: 'local_shell_call_output', id: 'c5', output: 'a' },
  { type: 'custom_tool_call', call_id: 'c6', name: 'edit', input: '+x' },
  { type: 'custom_tool_call_output', call_id: 'c6', output: 'ok' },
  { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'edit' }] },
  { type: 'configuration_update', reasoning: { effort: 'low' } },
]
const CLIENT_TOOLS = [
  { type: 'shell', environment: { type: 'local' } },
  { type: 'apply_patch' },
  { type: 'computer' },
  {
    type: 'tool_search',
    execution: 'client',
    description: 'd',
    parameters: { type: 'object', properties: {} },
  },
]

test.each(MODELS)('%s takes calls and results of all tools that a client executes', async model => {
  const { relay, key, rejections } = await openGateway()
  const input = [{ role: 'user', content: 'hi' }, ...CLIENT_ITEMS, { role: 'user', content: 'And now?' }]
  const body = { model, input, tools: CLIENT_TOOLS, store: false }
  const response = await relay.request('/v1/responses', key, body)
  expect(await response.json()).toMatchObject({ status: 'completed' })
  expect(rejections).toEqual([])
  expect(response.headers.get('x-tollgate-dropped-tools')).toBeNull()
})

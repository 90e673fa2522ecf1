import { afterEach, expect, test } from 'bun:test'
import type { Send } from '../../server/http-client/send.ts'
import { receivedBody, receivedResponse } from '../../server/testing/received-response.ts'
import { TestRelay } from '../../server/testing/test-relay.ts'

let relay: TestRelay | undefined
afterEach(() => relay?.close())

const ARGUMENTS = '{"input":"+ \\"x\\""}'
const INPUT = '+ "x"'
const openaiCall = (call: object) => ({
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
})

interface Family {
  readonly type: number
  readonly model: string
  readonly reply: object
  readonly stream: readonly object[]
  /** Whether the provider is sent the tool as it is. */
  readonly isNative?: true
}

const openaiDelta = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})
const piece = (call: object) => openaiDelta({ tool_calls: [{ index: 0, ...call }] })
const USAGE = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }
const GEMINI = {
  candidates: [
    {
      content: { role: 'model', parts: [{ functionCall: { name: 'edit', args: JSON.parse(ARGUMENTS) } }] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
}

const FAMILIES: Readonly<Record<string, Family>> = {
  OpenAI: {
    type: 1,
    model: 'gpt-5.5',
    isNative: true,
    reply: openaiCall({ id: 'c', type: 'custom', custom: { name: 'edit', input: INPUT } }),
    stream: [
      piece({ id: 'c', type: 'custom', custom: { name: 'edit', input: '' } }),
      piece({ custom: { input: INPUT } }),
      openaiDelta({}, 'tool_calls'),
      USAGE,
    ],
  },
  DeepSeek: {
    type: 43,
    model: 'deepseek-chat',
    reply: openaiCall({ id: 'c', type: 'function', function: { name: 'edit', arguments: ARGUMENTS } }),
    stream: [
      piece({ id: 'c', type: 'function', function: { name: 'edit', arguments: '' } }),
      ...[...ARGUMENTS].map(text => piece({ function: { arguments: text } })),
      openaiDelta({}, 'tool_calls'),
      USAGE,
    ],
  },
  Anthropic: {
    type: 14,
    model: 'claude-sonnet-4-5',
    reply: {
      content: [{ type: 'tool_use', id: 'c', name: 'edit', input: JSON.parse(ARGUMENTS) }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 9, output_tokens: 4 },
    },
    stream: [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9, output_tokens: 1 } } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'c', name: 'edit', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: ARGUMENTS },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
      { type: 'message_stop' },
    ],
  },
  Gemini: { type: 24, model: 'gemini-3-pro-preview', reply: GEMINI, stream: [GEMINI] },
}

const HISTORY = [
  { role: 'user', content: 'Edit.' },
  { role: 'assistant', tool_calls: [{ id: 'b', type: 'custom', custom: { name: 'edit', input: INPUT } }] },
  { role: 'tool', tool_call_id: 'b', content: 'done' },
]

const BODY = {
  model: 'lab',
  messages: HISTORY,
  tools: [{ type: 'custom', custom: { name: 'edit', format: { type: 'text' } } }],
  tool_choice: 'validated',
}

async function requestEdit({ type, model, reply, stream }: Family, isStream: boolean) {
  const sent: string[] = []
  const send: Send = async ({ body }) => {
    sent.push(await new Response(receivedBody(body) ?? '').text())
    const events = stream.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
    const headers = { 'content-type': 'text/event-stream' }
    return receivedResponse(isStream ? new Response(events, { headers }) : Response.json(reply))
  }
  relay = await TestRelay.open({ send })
  await relay.addChannel({
    type,
    key_sealed: relay.encryptKey('key'),
    base_url: 'http://provider.test',
    model_mapping: JSON.stringify({ lab: model }),
  })
  const body = { ...BODY, ...(isStream && { stream: true }) }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  return { sent: sent[0] ?? '', status: response.status, text: await response.text() }
}

test.each(Object.entries(FAMILIES))('a custom tool of chat completions works at %s', async (_, family) => {
  const { sent, status, text } = await requestEdit(family, false)
  expect(status).toBe(200)
  expect(sent.includes('"custom"')).toBe(family.isNative ?? false)
  expect(sent).not.toContain('"validated"')
  const [call] = JSON.parse(text).choices[0].message.tool_calls
  expect(call).toMatchObject({ type: 'custom', custom: { name: 'edit', input: INPUT } })
})

test.each(Object.entries(FAMILIES))('a custom tool is streamed by %s', async (_, family) => {
  const { sent, status, text } = await requestEdit(family, true)
  expect(status).toBe(200)
  expect(sent.includes('"custom"')).toBe(family.isNative ?? false)
  const events = text.split('\n\n').filter(event => event.startsWith('data: {'))
  const deltas = events.flatMap(event => JSON.parse(event.slice(6)).choices[0]?.delta.tool_calls ?? [])
  expect(deltas[0]).toMatchObject({ index: 0, type: 'custom', custom: { name: 'edit' } })
  expect(deltas.map(({ custom }) => custom?.input ?? '').join('')).toBe(INPUT)
  expect(deltas.some(delta => 'function' in delta)).toBe(false)
  expect(text.indexOf('"finish_reason":"tool_calls"')).toBeGreaterThan(text.lastIndexOf('"input"'))
})

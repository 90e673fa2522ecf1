import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream, type Upstream } from '../harness/start-upstream.ts'

/** Request of a client and response of a provider in the same dialect, both with unknown fields. */
interface Speech {
  readonly provider: 'anthropic' | 'gemini' | 'openai'
  readonly model: string
  readonly path: string
  readonly streamPath: string
  readonly body: Readonly<Record<string, unknown>>
  readonly jsonResponse: string
  readonly stream: string
  /** Where the upstream request must carry the mapped name. */
  readonly modelSent: (path: string, text: string) => string
}

const MAPPED = 'name-at-the-provider'
const anthropic: Speech = {
  provider: 'anthropic',
  model: 'm-anthropic',
  path: '/v1/messages',
  streamPath: '/v1/messages',
  body: {
    model: 'm-anthropic',
    max_tokens: 9,
    unheard_of: { deep: [1, null] },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'new_block', x: 1 },
          { type: 'text', text: 'hi' },
        ],
      },
    ],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  },
  jsonResponse:
    '{ "type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"new_answer","y":2},{"type":"text","text":"yo"}],\n "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2,"new_counter":7}, "unheard_of":true}',
  stream: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","model":"m","content":[],"usage":{"input_tokens":3,"output_tokens":1}},"odd":1}',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"new_block"}}',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yo"}}',
    'event: unheard_of\ndata:  {"type":"unheard_of"}',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ].join('\n\n'),
  modelSent: (_path, text) => JSON.parse(text).model,
}
const gemini: Speech = {
  provider: 'gemini',
  model: 'm-gemini',
  path: '/v1beta/models/m-gemini:generateContent',
  streamPath: '/v1beta/models/m-gemini:streamGenerateContent?alt=sse',
  body: {
    contents: [{ role: 'user', parts: [{ new_part: 1 }, { text: 'hi' }] }],
    tools: [{ google_search: {} }],
    cachedContent: 'cachedContents/1',
    unheard_of: { deep: [1, null] },
  },
  jsonResponse:
    '{\n "candidates": [{"content":{"parts":[{"newAnswer":2},{"text":"yo"}],"role":"model"},"finishReason":"STOP"}], "usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2},"unheardOf":true}',
  stream: [
    'data: {"candidates": [{"content": {"parts": [{"text": "yo"}]}}],"odd":1}',
    'data: {"candidates": [{"finishReason": "STOP","newField":[]}],"usageMetadata": {"promptTokenCount": 3,"candidatesTokenCount": 2}}\r\n\r\n',
  ].join('\r\n\r\n'),
  modelSent: path => /models\/([^:]+):/.exec(path)?.[1] ?? '',
}
const responses: Speech = {
  provider: 'openai',
  model: 'm-responses',
  path: '/v1/responses',
  streamPath: '/v1/responses',
  body: {
    model: 'm-responses',
    input: [{ type: 'item_reference', id: 'ws_1' }],
    previous_response_id: 'resp_1',
    tools: [{ type: 'web_search', search_context_size: 'low' }],
    unheard_of: { deep: [1, null] },
  },
  jsonResponse:
    '{ "id":"resp_1","object":"response","status":"completed","model":"m","output":[{"type":"web_search_call","id":"ws_1"},{"type":"message","content":[{"type":"output_text","text":"yo"}]}],"usage":{"input_tokens":3,"output_tokens":2},\n"unheard_of":[]}',
  stream: [
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1"},"odd":1}',
    'event: response.web_search_call.searching\ndata: {"type":"response.web_search_call.searching","sequence_number":1}',
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":2,"delta":"yo"}',
    'event: response.completed\ndata: {"type":"response.completed","sequence_number":3,"response":{"usage":{"input_tokens":3,"output_tokens":2}}}\n\n',
  ].join('\n\n'),
  modelSent: (_path, text) => JSON.parse(text).model,
}
const speeches = [anthropic, gemini, responses]

let site: Site
let upstream: Upstream
let key: string

beforeAll(async () => {
  site = await startSite()
  upstream = startUpstream()
  const models = [...speeches.map(({ model }) => model), 'm-rewritten']
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  key = (await addToken(site.root)).key
  for (const { provider, model } of speeches)
    await addLabChannel(
      site.root,
      { ...site.lab, url: upstream.url },
      {
        provider,
        models: [model],
        draft: { model_mapping: JSON.stringify({ [model]: MAPPED }), param_override: '{"temperature":0.5}' },
      },
    )
  // Only what was made through the gateway can be referred to.
  upstream.respondWith(responses.jsonResponse, 'application/json')
  await call(responses.path, { model: responses.model, input: 'hi' })
})

afterAll(async () => {
  await upstream?.stop()
  await site?.stop()
})

const call = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${site.gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe.each(speeches)('between a client and a provider of the $provider dialect', speech => {
  test('passes unknown fields with the mapped model name and the overriding fields', async () => {
    upstream.respondWith(speech.jsonResponse, 'application/json')
    const reply = await call(speech.path, speech.body)
    expect(await reply.text()).toBe(speech.jsonResponse)
    const { path, text } = upstream.lastRequest()
    expect(speech.modelSent(path, text)).toBe(MAPPED)
    const sent = { ...speech.body, temperature: 0.5, model: expect.anything() }
    expect({ model: '', ...JSON.parse(text) }).toMatchObject(sent)
  })

  test('passes a stream through byte for byte', async () => {
    upstream.respondWith(speech.stream, 'text/event-stream')
    const reply = await call(speech.streamPath, { ...speech.body, stream: true })
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream')
    expect(await reply.text()).toBe(speech.stream)
  })

  test('never sends the key of the client to the provider', async () => {
    upstream.respondWith(speech.jsonResponse, 'application/json')
    await call(speech.path, speech.body, {
      'x-api-key': `sk-${key}`,
      'x-goog-api-key': `sk-${key}`,
      cookie: `a=${key}`,
    })
    const { headers, path } = upstream.lastRequest()
    expect(JSON.stringify([...headers])).not.toContain(key)
    expect(path).not.toContain(key)
  })
})

test("Claude's provider sees which version its client speaks and what it wants to try", async () => {
  upstream.respondWith(anthropic.jsonResponse, 'application/json')
  await call(anthropic.path, anthropic.body, {
    'anthropic-version': '2099-01-01',
    'anthropic-beta': 'context-1m-2025-08-07,new-thing',
  })
  const { headers } = upstream.lastRequest()
  expect(headers.get('anthropic-version')).toBe('2099-01-01')
  expect(headers.get('anthropic-beta')).toBe('context-1m-2025-08-07,new-thing')
})

test('rejects a provider-specific field when the request has to be converted', async () => {
  await addLabChannel(
    site.root,
    { ...site.lab, url: upstream.url },
    {
      provider: 'anthropic',
      models: ['m-rewritten'],
      draft: { setting: '{"force_format":true}' },
    },
  )
  const body = { ...anthropic.body, model: 'm-rewritten', container: 'container_1' }
  const reply = await call(anthropic.path, body)
  expect(reply.status).toBe(400)
  expect(await reply.json()).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.stringContaining('container') },
  })
})

test('reports a blocked prompt to a Gemini client and charges nothing', async () => {
  const blocked = '{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}}'
  upstream.respondWith(blocked, 'application/json')
  const jsonResponse = await call(gemini.path, gemini.body)
  expect(await jsonResponse.text()).toBe(blocked)
  upstream.respondWith(`data: ${blocked}\r\n\r\n`, 'text/event-stream')
  const streamed = await call(gemini.streamPath, gemini.body)
  expect(await streamed.text()).toBe(`data: ${blocked}\r\n\r\n`)
  const row = await waitForLog(site.root, jsonResponse.headers.get('x-oneapi-request-id') ?? '')
  expect(row.quota).toBe(0)
})

test('falls back to chat completions when the upstream does not know the responses endpoint', async () => {
  const choice = { index: 0, message: { role: 'assistant', content: 'yo' }, finish_reason: 'stop' }
  const usage = { prompt_tokens: 3, completion_tokens: 2 }
  upstream.respondWith(JSON.stringify({ id: 'c1', model: 'm', choices: [choice], usage }), 'application/json')
  upstream.removePath('/v1/responses')
  const reply = await call('/v1/responses', { model: responses.model, input: 'hi' })
  expect(await reply.json()).toMatchObject({
    object: 'response',
    output: [{ type: 'message', content: [{ text: 'yo' }] }],
    usage: { input_tokens: 3, output_tokens: 2 },
  })
  expect(upstream.lastRequest().path).toBe('/v1/chat/completions')
  const kept = await call('/v1/responses', responses.body)
  expect(kept.status).toBe(404)
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream, type Upstream } from '../harness/start-upstream.ts'

/** How one dialect is spoken: what a client sends, and what a vendor of the same dialect answers, both with the unheard-of. */
interface Speech {
  readonly vendor: 'anthropic'
  readonly path: string
  readonly streamPath: string
  readonly body: Readonly<Record<string, unknown>>
  readonly whole: string
  readonly stream: string
  /** Where the vendor must see the mapped name. */
  readonly seenModel: (path: string, text: string) => string
}

const MAPPED = 'name-at-the-vendor'
const anthropic: Speech = {
  vendor: 'anthropic',
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
  whole:
    '{ "type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"new_answer","y":2},{"type":"text","text":"yo"}],\n "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2,"new_counter":7}, "unheard_of":true}',
  stream: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","model":"m","content":[],"usage":{"input_tokens":3,"output_tokens":1}},"odd":1}',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"new_block"}}',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yo"}}',
    'event: unheard_of\ndata:  {"type":"unheard_of"}',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ].join('\n\n'),
  seenModel: (_path, text) => JSON.parse(text).model,
}
const speeches = [anthropic]

let site: Site
let upstream: Upstream
let key: string

beforeAll(async () => {
  site = await startSite()
  upstream = startUpstream()
  await setOptions(site.root, { ModelRatio: Object.fromEntries(speeches.map(({ body }) => [body.model, 1])) })
  key = (await addToken(site.root)).key
  for (const { vendor, body } of speeches) {
    const model = String(body.model)
    await addLabChannel(
      site.root,
      { ...site.lab, url: upstream.url },
      {
        vendor,
        models: [model],
        draft: { model_mapping: JSON.stringify({ [model]: MAPPED }), param_override: '{"temperature":0.5}' },
      },
    )
  }
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

describe.each(speeches)('between a client and a vendor of the $vendor dialect', speech => {
  test('the body passes with all that is unheard of, the mapped name and the overriding fields', async () => {
    upstream.answerWith(speech.whole, 'application/json')
    const answer = await call(speech.path, speech.body)
    expect(await answer.text()).toBe(speech.whole)
    const { path, text } = upstream.last()
    expect(speech.seenModel(path, text)).toBe(MAPPED)
    const sent = { ...speech.body, temperature: 0.5, model: expect.anything() }
    expect({ model: '', ...JSON.parse(text) }).toMatchObject(sent)
  })

  test('a stream passes byte for byte', async () => {
    upstream.answerWith(speech.stream, 'text/event-stream')
    const answer = await call(speech.streamPath, { ...speech.body, stream: true })
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    expect(await answer.text()).toBe(speech.stream)
  })

  test('the key of the client never reaches the vendor', async () => {
    upstream.answerWith(speech.whole, 'application/json')
    await call(speech.path, speech.body, {
      'x-api-key': `sk-${key}`,
      'x-goog-api-key': `sk-${key}`,
      cookie: `a=${key}`,
    })
    const { headers, path } = upstream.last()
    expect(JSON.stringify([...headers])).not.toContain(key)
    expect(path).not.toContain(key)
  })
})

test("Claude's vendor sees which version its client speaks and what it wants to try", async () => {
  upstream.answerWith(anthropic.whole, 'application/json')
  await call(anthropic.path, anthropic.body, {
    'anthropic-version': '2099-01-01',
    'anthropic-beta': 'context-1m-2025-08-07,new-thing',
  })
  const { headers } = upstream.last()
  expect(headers.get('anthropic-version')).toBe('2099-01-01')
  expect(headers.get('anthropic-beta')).toBe('context-1m-2025-08-07,new-thing')
})

test('a wish that only one vendor understands is refused when the channel must rewrite', async () => {
  await addLabChannel(
    site.root,
    { ...site.lab, url: upstream.url },
    {
      vendor: 'anthropic',
      models: ['m-rewritten'],
      draft: { setting: '{"force_format":true}' },
    },
  )
  await setOptions(site.root, { ModelRatio: { 'm-rewritten': 1, 'm-anthropic': 1 } })
  const answer = await call(anthropic.path, { ...anthropic.body, model: 'm-rewritten' })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error', message: expect.stringContaining('web_search_20250305') },
  })
})

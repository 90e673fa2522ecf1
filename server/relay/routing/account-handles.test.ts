import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { asArray, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { receivedResponse } from '../../testing/received-response.ts'
import { TestRelay } from '../../testing/test-relay.ts'

let relay: TestRelay
let token: string
/** The accounts that were called, and the bodies that they received. */
let calls: { readonly key: string; readonly body: JsonObject }[] = []
/** Calls to the accounts about stored responses. */
let lookups: { readonly key: string; readonly call: string }[] = []
let downKey = ''

/** Each key is an account that stores its own responses and reads its own encrypted content only, as OpenAI does. */
function respond(key: string, body: JsonObject): Response {
  if (key === downKey)
    return Response.json({ error: { message: 'down', code: 'server_error' } }, { status: 500 })
  const foreign = [
    body.previous_response_id,
    ...asArray(body.input).map(item => asObject(item).encrypted_content),
  ]
    .map(value => asString(value) ?? '')
    .find(value => value !== '' && !value.endsWith(`.${key}`))
  if (foreign)
    return Response.json({ error: { message: `${foreign} is not of ${key}`, code: 'x' } }, { status: 400 })
  const response = {
    id: `resp_${crypto.randomUUID()}.${key}`,
    status: 'completed',
    model: 'lab',
    output: [
      {
        id: `rs_${crypto.randomUUID()}`,
        type: 'reasoning',
        summary: [],
        encrypted_content: `${crypto.randomUUID()}.${key}`,
      },
      { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
    ],
    usage: { input_tokens: 3, output_tokens: 1 },
  }
  return body.stream === true ? streamOf(response) : Response.json(response)
}

const streamOf = (response: JsonObject): Response => {
  const events = [
    { type: 'response.created', response: { id: response.id } },
    { type: 'response.output_text.delta', delta: 'yes' },
    ...asArray(response.output).map(item => ({ type: 'response.output_item.done', item })),
    { type: 'response.completed', response },
  ]
  return new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

beforeEach(async () => {
  calls = []
  downKey = ''
  lookups = []
  relay = await TestRelay.open({
    options: { RetryTimes: 1 },
    send: async ({ url, method = 'POST', headers, body }) => {
      const key = (headers.authorization ?? '').replace('Bearer ', '')
      const rest = url.split('/v1/responses/')[1]
      if (rest !== undefined) {
        lookups.push({ key, call: `${method} ${rest}` })
        return receivedResponse(Response.json({ id: rest, object: 'response' }))
      }
      const json = asObject(JSON.parse(String(body)))
      calls.push({ key, body: json })
      return receivedResponse(respond(key, json))
    },
  })
  token = await relay.addToken()
  await relay.addChannel({ key_sealed: relay.encryptKey('a\nb'), setting: '{"several_keys":true}' })
  await relay.addChannel({ key_sealed: relay.encryptKey('c') })
})

afterEach(() => relay.close())

async function requestResponse(fields: JsonObject, key = token) {
  const response = await relay.request('/v1/responses', key, { model: 'lab', input: 'hi', ...fields })
  const text = await response.text()
  const json = fields.stream === true ? lastResponse(text) : asObject(JSON.parse(text))
  return { status: response.status, json, id: asString(json.id) ?? '', code: asObject(json.error).code }
}

const lastResponse = (text: string): JsonObject => {
  const last = text.trim().split('\n\n').at(-1)?.split('data: ').at(-1) ?? '{}'
  return asObject(asObject(JSON.parse(last)).response)
}

const continueWith = ({ json }: { readonly json: JsonObject }): JsonObject => ({
  input: [{ role: 'user', content: 'hi' }, ...asArray(json.output), { role: 'user', content: 'go on' }],
  store: false,
})

test.each([false, true])('keeps chains of stored responses on their account, streamed: %p', async stream => {
  for (let chain = 0; chain < 20; chain += 1) {
    let last = await requestResponse({ stream })
    for (let turn = 0; turn < 3; turn += 1) {
      if (turn === 1) relay.switchProcess()
      last = await requestResponse({ stream, previous_response_id: last.id })
      expect(last.status).toBe(200)
    }
  }
  expect(new Set(calls.map(({ key }) => key)).size).toBeGreaterThan(1)
})

test.each([false, true])('keeps encrypted reasoning on its account, streamed: %p', async stream => {
  for (let session = 0; session < 10; session += 1) {
    const first = await requestResponse({ stream, store: false })
    relay.switchProcess()
    const second = await requestResponse({ stream, ...continueWith(first) })
    expect(second.status).toBe(200)
    expect(asArray(calls.at(-1)?.body.input)).toHaveLength(4)
  }
})

test('finds an account by an item reference', async () => {
  const first = await requestResponse({})
  const reference = { type: 'item_reference', id: asObject(asArray(first.json.output)[0]).id }
  for (let turn = 0; turn < 10; turn += 1)
    await requestResponse({ input: [reference, { role: 'user', content: 'go on' }] })
  expect(new Set(calls.map(({ key }) => key)).size).toBe(1)
})

test('calls nobody for a response that does not exist or is another user’s', async () => {
  const { id, json } = await requestResponse({})
  await relay.db
    .updateTable('account_handles')
    .set({ user_id: relay.userId + 1 })
    .execute()
  relay.switchProcess()
  const count = calls.length
  for (const previous of [id, 'resp_unknown'])
    expect(await requestResponse({ previous_response_id: previous })).toMatchObject({
      status: 404,
      code: 'previous_response_not_found',
    })
  expect(await requestResponse(continueWith({ json }))).toMatchObject({
    status: 400,
    code: 'invalid_encrypted_content',
  })
  expect(calls).toHaveLength(count)
})

test('says that a stored response is gone when its account is', async () => {
  const { id } = await requestResponse({})
  await relay.db.updateTable('channels').set({ status: 2 }).execute()
  await relay.addChannel({ key_sealed: relay.encryptKey('d') })
  const count = calls.length
  expect(await requestResponse({ previous_response_id: id })).toMatchObject({
    status: 404,
    code: 'previous_response_not_found',
  })
  expect(calls).toHaveLength(count)
})

test('leaves out encrypted reasoning where its account is gone', async () => {
  const first = await requestResponse({ store: false })
  await relay.db.updateTable('channels').set({ status: 2 }).execute()
  await relay.addChannel({ key_sealed: relay.encryptKey('d') })
  expect(await requestResponse(continueWith(first))).toMatchObject({ status: 200 })
  expect(calls.at(-1)).toMatchObject({
    key: 'd',
    body: { input: [{ role: 'user' }, { type: 'message' }, { role: 'user' }] },
  })
})

test('leaves out encrypted reasoning for the channel that is tried after its account has failed', async () => {
  const first = await requestResponse({ store: false })
  downKey = calls[0]?.key ?? ''
  const next = await requestResponse(continueWith(first))
  expect(next.status).toBe(200)
  expect(asArray(calls.at(-1)?.body.input)).toHaveLength(3)
  expect(calls.at(-1)?.key).not.toBe(downKey)
})

test('does not try another account for a stored response whose account fails', async () => {
  const { id } = await requestResponse({})
  downKey = calls[0]?.key ?? ''
  const count = calls.length
  expect((await requestResponse({ previous_response_id: id })).status).toBe(500)
  expect(new Set(calls.slice(count).map(({ key }) => key))).toEqual(new Set([downKey]))
})

test('asks the account of a stored response for it, and no other', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { id } = await requestResponse({})
    const { key } = calls.at(-1) ?? {}
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/input_items?limit=2'],
      ['POST', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const url = `http://gateway.test/v1/responses/${id}${rest}`
      const response = await relay.handle(
        new Request(url, { method, headers: { authorization: `Bearer sk-${token}` } }),
      )
      expect(response.status).toBe(200)
      expect(lookups.at(-1)).toEqual({ key: key ?? '', call: `${method} ${id}${rest}` })
    }
  }
  const count = lookups.length
  const { id } = await requestResponse({})
  await relay.db
    .updateTable('account_handles')
    .set({ user_id: relay.userId + 1 })
    .execute()
  relay.switchProcess()
  const foreign = await relay.handle(
    new Request(`http://gateway.test/v1/responses/${id}`, {
      headers: { authorization: `Bearer sk-${token}` },
    }),
  )
  expect(foreign.status).toBe(404)
  expect(asObject(asObject(await foreign.json()).error).code).toBe('not_found')
  expect(lookups).toHaveLength(count)
})

/** Of channels whose images are fetched here: the request differs by channel, and its images must not. */
test('leaves out encrypted reasoning where images are fetched for several channels', async () => {
  const BEDROCK = 33
  const pngBase64 = 'iVBORw0KGgo='
  const images = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(Buffer.from(pngBase64, 'base64'), { headers: { 'content-type': 'image/png' } }),
  })
  const received: { readonly host: string; readonly text: string }[] = []
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'signed-by-the-first' },
    { type: 'text', text: 'yes' },
  ]
  const usage = { input_tokens: 3, output_tokens: 1 }
  const message = { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage }
  const bedrock = await TestRelay.open({
    options: { RetryTimes: 1 },
    send: async ({ url, body }) => {
      const { hostname: host } = new URL(url)
      const isDown = received.some(one => one.host === host)
      received.push({ host, text: String(body) })
      return receivedResponse(
        isDown ? Response.json({ message: 'down' }, { status: 500 }) : Response.json(message),
      )
    },
  })
  try {
    const key = await bedrock.addToken()
    for (const region of ['us-east-1', 'eu-west-1'])
      await bedrock.addChannel({
        type: BEDROCK,
        base_url: '',
        key_sealed: bedrock.encryptKey(`ak|sk|${region}`),
      })
    const ask = async (input: unknown) => {
      const response = await bedrock.request('/v1/responses', key, { model: 'lab', input, store: false })
      return { status: response.status, json: asObject(JSON.parse(await response.text())) }
    }
    const first = await ask('hi')
    const image = { type: 'input_image', image_url: `http://127.0.0.1:${images.port}/a.png` }
    const second = await ask([...asArray(first.json.output), { role: 'user', content: [image] }])
    expect(second.status).toBe(200)
    const [own, again, other] = received
    expect([received.length, again?.host === own?.host, other?.host === own?.host]).toEqual([3, true, false])
    expect(again?.text).toContain('signed-by-the-first')
    expect(other?.text).toContain(pngBase64)
    expect(other?.text).not.toContain('signed-by-the-first')
  } finally {
    await images.stop(true)
    await bedrock.close()
  }
})

describe('a token for one project', () => {
  const RESTRICTED = { model_limits_enabled: 1, model_limits: 'lab' }
  const read = (id: string, key: string) => relay.request(`/v1/responses/${id}`, key, undefined)

  test.each(Object.entries({ models: RESTRICTED, addresses: { allow_ips: '192.0.2.1' } }))(
    'limited by %s refers only to what it made itself, and no other token to that',
    async (_, columns) => {
      const [own, another] = [
        await relay.addToken({ columns }),
        await relay.addToken({ columns: RESTRICTED }),
      ]
      for (const [maker, others] of [
        [own, [another, token]],
        [token, [own, another]],
      ] as const) {
        const { id } = await requestResponse({}, maker)
        relay.switchProcess()
        for (const other of others) {
          expect((await read(id, other)).status).toBe(404)
          const continued = await requestResponse({ previous_response_id: id }, other)
          expect([continued.status, continued.code]).toEqual([404, 'previous_response_not_found'])
        }
        expect((await read(id, maker)).status).toBe(200)
        expect((await requestResponse({ previous_response_id: id }, maker)).status).toBe(200)
      }
      expect(lookups).toHaveLength(2)
    },
  )

  test('goes on with what was made before handles knew their token', async () => {
    const { id } = await requestResponse({})
    await relay.db.updateTable('account_handles').set({ token_id: null }).execute()
    relay.switchProcess()
    const own = await relay.addToken({ columns: RESTRICTED })
    expect((await requestResponse({ previous_response_id: id }, own)).status).toBe(200)
  })

  test('reads encrypted content of any token of its user', async () => {
    const first = await requestResponse({ store: false })
    const own = await relay.addToken({ columns: RESTRICTED })
    const second = await requestResponse(continueWith(first), own)
    expect(second.status).toBe(200)
    expect(asArray(calls.at(-1)?.body.input)).toHaveLength(4)
  })
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { MIB } from '#server/core/limits.ts'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { withResponseTables } from './tables.ts'

const ANTHROPIC = 14

let relay: TestRelay
let token: string
/** The bodies that the provider received. */
let bodies: JsonObject[] = []

/** A provider without stored responses. */
const respond = (body: JsonObject): Response => {
  const text = `answer ${bodies.length}`
  const usage = { input_tokens: 10, output_tokens: 2 }
  if (body.stream !== true)
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'lab',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage,
    })
  const events = [
    { type: 'message_start', message: { id: 'm', model: 'lab', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  return new Response(
    events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  )
}

async function open(isEnabled = true, bytesMax = MIB): Promise<void> {
  bodies = []
  relay = await TestRelay.open({
    options: { ResponseStoreEnabled: isEnabled, ResponseStoreMegabytes: bytesMax / MIB },
    send: async ({ body }) => {
      const json = asObject(JSON.parse(String(body)))
      bodies.push(json)
      return receivedResponse(respond(json))
    },
  })
  token = await relay.addToken()
  await relay.addChannel({ type: ANTHROPIC })
}

beforeEach(() => open())
afterEach(() => relay.close())

interface Received {
  readonly status: number
  readonly json: JsonObject
  readonly id: string
  readonly code: unknown
}

async function requestResponse(fields: JsonObject): Promise<Received> {
  const response = await relay.request('/v1/responses', token, { model: 'lab', input: 'hi', ...fields })
  const text = await response.text()
  const data = text.slice(text.lastIndexOf('data: ') + 6)
  const json =
    fields.stream === true ? asObject(asObject(JSON.parse(data)).response) : asObject(JSON.parse(text))
  return { status: response.status, json, id: asString(json.id) ?? '', code: asObject(json.error).code }
}

async function look(path: string, method = 'GET', key = token): Promise<Received> {
  const headers = { authorization: `Bearer sk-${key}` }
  const response = await relay.handle(
    new Request(`http://gateway.test/v1/responses/${path}`, { method, headers }),
  )
  const json = asObject(await response.json())
  return { status: response.status, json, id: asString(json.id) ?? '', code: asObject(json.error).code }
}

const giveToAnotherUser = async (): Promise<void> => {
  const { id } = await relay.db
    .insertInto('users')
    .values({ username: 'other', aff_code: 'other', created_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await withResponseTables(relay.db).updateTable('stored_responses').set({ user_id: id }).execute()
}

const textsOf = (body: JsonObject | undefined): readonly unknown[] =>
  asArray(body?.messages).map(message => {
    const { content } = asObject(message)
    return typeof content === 'string' ? content : asObject(asArray(content)[0]).text
  })

const countStored = async (): Promise<number> =>
  (await withResponseTables(relay.db).selectFrom('stored_responses').select('id').execute()).length

test.each([false, true])('continues a stored response in another process, streamed: %p', async stream => {
  let last = await requestResponse({ stream, input: 'one' })
  expect(last.json).toMatchObject({ store: true, previous_response_id: null })
  for (const input of ['two', 'three']) {
    relay.switchProcess()
    const previous = last.id
    last = await requestResponse({ stream, input, previous_response_id: previous })
    expect(last.json).toMatchObject({ store: true, previous_response_id: previous })
  }
  expect(textsOf(bodies.at(-1))).toEqual(['one', 'answer 1', 'two', 'answer 2', 'three'])
})

test('continues a stored response with a long input, which is written before its stream', async () => {
  const { id } = await requestResponse({ stream: true, input: 'one '.repeat(5_000) })
  relay.switchProcess()
  await requestResponse({ stream: true, input: 'two', previous_response_id: id })
  expect(textsOf(bodies.at(-1)).slice(1)).toEqual(['answer 1', 'two'])
})

test('keeps two continuations of one response apart', async () => {
  const { id } = await requestResponse({ input: 'one' })
  await requestResponse({ input: 'left', previous_response_id: id })
  await requestResponse({ input: 'right', previous_response_id: id })
  expect(textsOf(bodies.at(-1))).toEqual(['one', 'answer 1', 'right'])
})

test('holds for the whole conversation before the provider is called', async () => {
  const { id } = await requestResponse({ input: 'one '.repeat(1_000) })
  const poor = await relay.addToken({ remain: 600 })
  const response = await relay.request('/v1/responses', poor, {
    model: 'lab',
    input: 'two',
    previous_response_id: id,
  })
  expect(response.status).toBe(429)
  expect(bodies).toHaveLength(1)
})

test('puts items in place of references to them', async () => {
  const { json } = await requestResponse({ input: 'one' })
  const reference = { type: 'item_reference', id: asObject(asArray(json.output)[0]).id }
  await requestResponse({
    input: [{ role: 'user', content: 'what?' }, reference, { role: 'user', content: 'so' }],
  })
  expect(textsOf(bodies.at(-1))).toEqual(['what?', 'answer 1', 'so'])
})

test('retrieves, lists and deletes a stored response', async () => {
  const first = await requestResponse({ input: 'one' })
  const { id, json } = await requestResponse({ input: 'two', previous_response_id: first.id })
  relay.switchProcess()
  expect(await look(id)).toMatchObject({ status: 200, json })
  const items = await look(`${id}/input_items?order=asc&limit=2`)
  expect(items.json).toMatchObject({
    object: 'list',
    has_more: true,
    data: [{ role: 'user' }, { role: 'assistant' }],
  })
  const rest = await look(`${id}/input_items?order=asc&after=${asString(items.json.last_id)}`)
  expect(rest.json).toMatchObject({
    has_more: false,
    data: [{ type: 'message', content: [{ type: 'input_text', text: 'two' }] }],
  })
  const latest = await look(`${id}/input_items?limit=1`)
  expect(latest.json.data).toEqual(rest.json.data)
  expect((await look(`${id}/cancel`, 'POST')).status).toBe(400)
  expect((await look(id, 'DELETE')).json).toEqual({ id, object: 'response', deleted: true })
  for (const [path, method] of [
    [id, 'GET'],
    [id, 'DELETE'],
    [`${id}/input_items`, 'GET'],
    [`${id}/cancel`, 'POST'],
  ])
    expect(await look(path ?? '', method)).toMatchObject({ status: 404, code: 'not_found' })
})

test('pages the input of a chain in both orders, and reads no more than is shown', async () => {
  const ids: string[] = []
  for (const input of ['one', 'two', 'three'])
    ids.push((await requestResponse({ input, previous_response_id: ids.at(-1) ?? null })).id)
  const [first, , last = ''] = ids
  for (const order of ['asc', 'desc']) {
    const texts: string[] = []
    let after = ''
    for (let count = 0; count < 5; count += 1) {
      const { json } = await look(`${last}/input_items?order=${order}&limit=1${after}`)
      const [item] = asArray(json.data).map(asObject)
      texts.push(String(asObject(asArray(item?.content)[0]).text))
      expect(json.has_more).toBe(count < 4)
      after = `&after=${json.last_id}`
    }
    const expected = ['one', 'answer 1', 'two', 'answer 2', 'three']
    expect(texts).toEqual(order === 'asc' ? expected : expected.toReversed())
  }
  const unreadable = withResponseTables(relay.db)
    .updateTable('stored_responses')
    .set({ input_encrypted: 'x' })
  await unreadable.where('id', '=', first ?? '').execute()
  expect(await look(`${last}/input_items?limit=2`)).toMatchObject({ status: 200, json: { has_more: true } })
  await unreadable.execute()
  expect((await look(last)).status).toBe(200)
})

test.each(['limit=0', 'limit=x', 'limit=101', 'after=msg_x'])('rejects the page %s', async query => {
  const { id } = await requestResponse({})
  expect((await look(`${id}/input_items?${query}`)).status).toBe(400)
})

test('shows no user the responses of others', async () => {
  const { id, json } = await requestResponse({})
  await giveToAnotherUser()
  const item = asObject(asArray(json.output)[0])
  const count = bodies.length
  for (const fields of [
    { previous_response_id: id },
    { previous_response_id: id.replace(/.$/, 'x') },
    { input: [{ type: 'item_reference', id: item.id }] },
  ])
    expect(await requestResponse(fields)).toMatchObject({ status: 404, code: 'previous_response_not_found' })
  expect(await look(id)).toMatchObject({ status: 404, code: 'not_found' })
  expect(await look(id, 'DELETE')).toMatchObject({ status: 404, code: 'not_found' })
  expect(await look('resp_unknown')).toMatchObject({ status: 404, code: 'not_found' })
  expect(bodies).toHaveLength(count)
  expect(await countStored()).toBe(1)
})

test('stores nothing that the client or an administrator does not want stored', async () => {
  expect((await requestResponse({ store: false })).json).toMatchObject({ store: false })
  await relay.close()
  await open(false, 1)
  expect((await requestResponse({ store: true })).json).toMatchObject({ store: false })
  expect(await countStored()).toBe(0)
})

test('encrypts stored responses', async () => {
  await requestResponse({ input: 'a secret' })
  const rows = JSON.stringify(
    await withResponseTables(relay.db).selectFrom('stored_responses').selectAll().execute(),
  )
  expect(rows).not.toContain('secret')
  expect(rows).not.toContain('answer')
})

test('deletes the responses that were not used for the longest time', async () => {
  await relay.close()
  await open(true, 20_000)
  const used = await requestResponse({ input: 'x'.repeat(3_000) })
  await withResponseTables(relay.db).updateTable('stored_responses').set({ used_at: 1 }).execute()
  const unused = await requestResponse({ input: 'x'.repeat(3_000) })
  await withResponseTables(relay.db).updateTable('stored_responses').set({ used_at: 2 }).execute()
  await requestResponse({ previous_response_id: used.id, input: 'x'.repeat(3_000) })
  await requestResponse({ input: 'x'.repeat(3_000) })
  expect((await look(used.id)).status).toBe(200)
  expect((await look(unused.id)).status).toBe(404)
})

test('refuses a response that is too large to store, before the provider is called', async () => {
  await relay.close()
  await open(true, 1_000)
  const input = 'x'.repeat(2_000)
  expect(await requestResponse({ input, store: true })).toMatchObject({
    status: 400,
    code: 'response_too_large',
  })
  expect(bodies).toHaveLength(0)
  expect((await requestResponse({ input })).json).toMatchObject({ store: false })
})

test('forgets expired responses and their successors', async () => {
  const first = await requestResponse({})
  const second = await requestResponse({ previous_response_id: first.id })
  await withResponseTables(relay.db)
    .updateTable('stored_responses')
    .set({ expires_at: 1 })
    .where('id', '=', first.id)
    .execute()
  expect((await look(first.id)).status).toBe(404)
  expect(await requestResponse({ previous_response_id: second.id })).toMatchObject({ status: 404 })
  relay.switchProcess()
  await requestResponse({})
  expect(await countStored()).toBe(2)
})

test('counts the input tokens of a whole conversation without a charge', async () => {
  const first = await requestResponse({ input: 'one '.repeat(100) })
  const alone = { model: 'lab', input: 'two' }
  const count = async (body: JsonObject): Promise<JsonObject> =>
    asObject(await (await relay.request('/v1/responses/input_tokens', token, body)).json())
  const short = await count(alone)
  const long = await count({ ...alone, previous_response_id: first.id })
  expect(short.object).toBe('response.input_tokens')
  expect(Number(long.input_tokens)).toBeGreaterThan(Number(short.input_tokens) + 90)
  expect(bodies).toHaveLength(1)
})

test('gives large responses and lists a length, by which the HTTP side compresses them', async () => {
  const text = 'x'.repeat(80_000)
  const { id } = await requestResponse({ input: text, instructions: text })
  for (const path of [id, `${id}/input_items`]) {
    const headers = { authorization: `Bearer sk-${token}` }
    const response = await relay.handle(new Request(`http://gateway.test/v1/responses/${path}`, { headers }))
    const body = await response.text()
    expect(body.length).toBeGreaterThan(text.length)
    expect(response.headers.get('content-length')).toBe(String(body.length))
  }
})

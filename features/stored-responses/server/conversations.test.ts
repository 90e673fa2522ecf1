import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { withResponseTables } from './tables.ts'

const OPENAI = 1
const ANTHROPIC = 14

let relay: TestRelay
let token: string
let bodies: JsonObject[] = []

/** Both providers answer, each in its own format. */
function respond(url: string, body: JsonObject): Response {
  const text = `answer ${bodies.length}`
  const usage = { input_tokens: 10, output_tokens: 2 }
  if (url.endsWith('/v1/messages'))
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'lab',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage,
    })
  const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  const response = { id: `resp_${bodies.length}`, status: 'completed', model: 'lab', output: [item], usage }
  if (body.stream !== true) return Response.json(response)
  const events = [
    { type: 'response.created', response: { id: response.id } },
    { type: 'response.output_text.delta', delta: text },
    ...(isBroken ? [] : [{ type: 'response.completed', response }]),
  ]
  return new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

/** A provider that breaks off after its first event. */
let isBroken = false

async function open(isEnabled = true): Promise<void> {
  bodies = []
  isBroken = false
  relay = await TestRelay.open({
    options: { ResponseStoreEnabled: isEnabled },
    send: async ({ url, body }) => {
      const json = asObject(JSON.parse(String(body)))
      bodies.push(json)
      return receivedResponse(respond(url, json))
    },
  })
  token = await relay.addToken()
}

beforeEach(() => open())
afterEach(() => relay.close())

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: JsonObject) {
  const headers = { authorization: `Bearer sk-${token}` }
  const response =
    method === 'POST'
      ? await relay.request(`/v1/${path}`, token, body ?? {})
      : await relay.handle(new Request(`http://gateway.test/v1/${path}`, { method, headers }))
  const text = await response.text()
  return { status: response.status, json: text.startsWith('{') ? asObject(JSON.parse(text)) : {} }
}

const idOf = ({ json }: { readonly json: JsonObject }): string => asString(json.id) ?? ''
const message = (content: string): JsonObject => ({ type: 'message', role: 'user', content })

const listTexts = async (id: string): Promise<readonly unknown[]> => {
  const { json } = await call('GET', `conversations/${id}/items?order=asc`)
  return asArray(json.data).map(item => asObject(asArray(asObject(item).content)[0]).text)
}

test.each([
  ['translated', ANTHROPIC, false],
  ['native', OPENAI, false],
  ['native and streamed', OPENAI, true],
])('adds input and output of %s responses to a conversation', async (_, type, stream) => {
  await relay.addChannel({ type })
  const id = idOf(await call('POST', 'conversations', { items: [message('zero')] }))
  const first = await call('POST', 'responses', { model: 'lab', input: 'one', conversation: id, stream })
  expect(first.status).toBe(200)
  await call('POST', 'responses', { model: 'lab', input: 'two', conversation: { id }, store: false })
  expect(await listTexts(id)).toEqual(['zero', 'one', 'answer 1', 'two', 'answer 2'])
  for (const text of ['zero', 'one', 'answer 1', 'two']) expect(JSON.stringify(bodies.at(-1))).toContain(text)
  expect(bodies.at(-1)?.conversation).toBeUndefined()
})

test('adds nothing of a response that has failed', async () => {
  await relay.addChannel({ type: OPENAI })
  const id = idOf(await call('POST', 'conversations', { items: [message('zero')] }))
  isBroken = true
  await call('POST', 'responses', { model: 'lab', input: 'one', conversation: id, stream: true })
  expect(await listTexts(id)).toEqual(['zero'])
})

test('creates no conversation where nothing is stored', async () => {
  await relay.close()
  await open(false)
  expect((await call('POST', 'conversations')).status).toBe(400)
})

test('says to which conversation a response belongs', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await call('POST', 'conversations'))
  const { json } = await call('POST', 'responses', { model: 'lab', input: 'one', conversation: id })
  expect(json.conversation).toEqual({ id })
})

test('creates, reads, changes and deletes a conversation with its items', async () => {
  const created = await call('POST', 'conversations', { metadata: { project: 'a' } })
  const id = idOf(created)
  expect(created.json).toMatchObject({ object: 'conversation', metadata: { project: 'a' } })
  expect((await call('GET', `conversations/${id}`)).json).toEqual(created.json)
  const changed = await call('POST', `conversations/${id}`, { metadata: { project: 'b' } })
  expect(changed.json).toMatchObject({ id, metadata: { project: 'b' } })
  const added = await call('POST', `conversations/${id}/items`, { items: [message('one'), message('two')] })
  expect(added.json).toMatchObject({
    object: 'list',
    has_more: false,
    data: [{ role: 'user' }, { role: 'user' }],
  })
  const itemId = asString(added.json.first_id) ?? ''
  expect((await call('GET', `conversations/${id}/items/${itemId}`)).json).toMatchObject({ id: itemId })
  expect((await call('DELETE', `conversations/${id}/items/${itemId}`)).json).toMatchObject({
    id,
    object: 'conversation',
  })
  expect((await call('GET', `conversations/${id}/items/${itemId}`)).status).toBe(404)
  expect(await listTexts(id)).toEqual(['two'])
  const deleted = await call('DELETE', `conversations/${id}`)
  expect(deleted.json).toEqual({ id, object: 'conversation.deleted', deleted: true })
  expect((await call('GET', `conversations/${id}`)).status).toBe(404)
  expect(
    await withResponseTables(relay.db).selectFrom('conversation_items').select('item_id').execute(),
  ).toEqual([])
})

test.each([
  { metadata: { a: 1 } },
  { metadata: { a: 'x'.repeat(513) } },
  { metadata: [] },
  { items: 'one' },
  { items: Array.from({ length: 21 }, () => message('one')) },
])('rejects an invalid conversation', async body => {
  expect((await call('POST', 'conversations', body)).status).toBe(400)
})

test('refuses a request that its conversation could not take, before the provider is called', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await call('POST', 'conversations', { items: [message('x'.repeat(300_000))] }))
  const added = await call('POST', `conversations/${id}/items`, { items: [message('x'.repeat(700_000))] })
  expect(added.status).toBe(400)
  const input = 'x'.repeat(700_000)
  const { status, json } = await call('POST', 'responses', { model: 'lab', input, conversation: id })
  expect([status, asObject(json.error).code]).toEqual([400, 'response_too_large'])
  expect(bodies).toHaveLength(0)
})

test('rejects a request that continues a response and a conversation', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await call('POST', 'conversations'))
  const previous = idOf(await call('POST', 'responses', { model: 'lab', input: 'one' }))
  const both = { model: 'lab', input: 'two', conversation: id, previous_response_id: previous }
  expect((await call('POST', 'responses', both)).status).toBe(400)
  expect(bodies).toHaveLength(1)
})

test('shows no user the conversations of others, and encrypts them', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await call('POST', 'conversations', { items: [message('a secret')] }))
  const rows = JSON.stringify(
    await withResponseTables(relay.db).selectFrom('conversation_items').selectAll().execute(),
  )
  expect(rows).not.toContain('secret')
  const { id: other } = await relay.db
    .insertInto('users')
    .values({ username: 'other', aff_code: 'other', created_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await withResponseTables(relay.db).updateTable('conversations').set({ user_id: other }).execute()
  const calls = [
    call('GET', `conversations/${id}`),
    call('POST', `conversations/${id}`, { metadata: {} }),
    call('DELETE', `conversations/${id}`),
    call('GET', `conversations/${id}/items`),
    call('POST', `conversations/${id}/items`, { items: [] }),
    call('POST', 'responses', { model: 'lab', input: 'one', conversation: id }),
    call('GET', 'conversations/conv_unknown'),
  ]
  for (const { status, json } of await Promise.all(calls)) {
    expect(status).toBe(404)
    expect(asObject(json.error).code).toBe('not_found')
  }
  expect(bodies).toHaveLength(0)
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { KIB, MIB } from '#server/core/limits.ts'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { relay as runRelay } from '#server/relay/pipeline.ts'
import { createBodyMemory } from '#server/relay/request/body-memory.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { connectionFor } from '#server/testing/test-connection.ts'
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

const setBalance = (quota: number) => relay.db.updateTable('users').set({ quota }).execute()

test('stores and lists nothing for an empty wallet, and counts no tokens of what is stored', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await call('POST', 'conversations', { items: [message('zero')] }))
  const previous = idOf(await call('POST', 'responses', { model: 'lab', input: 'one' }))
  const counting = { model: 'lab', input: 'x' }
  await setBalance(0)
  const calls = [
    call('POST', 'conversations'),
    call('POST', `conversations/${id}`, { metadata: {} }),
    call('POST', `conversations/${id}/items`, { items: [] }),
    call('GET', `conversations/${id}/items`),
    call('GET', `responses/${previous}/input_items`),
    call('POST', 'responses/input_tokens', { ...counting, conversation: id }),
    call('POST', 'responses/input_tokens', { ...counting, previous_response_id: previous }),
    call('POST', 'responses/input_tokens', {
      ...counting,
      input: [{ type: 'item_reference', id: previous.replace('resp', 'msg') }],
    }),
  ]
  for (const { status, json } of await Promise.all(calls))
    expect([status, asObject(json.error).code]).toEqual([429, 'insufficient_quota'])
  expect((await call('POST', 'responses/input_tokens', counting)).status).toBe(200)
  expect((await call('GET', `responses/${previous}`)).status).toBe(200)
  expect((await call('DELETE', `responses/${previous}`)).status).toBe(200)
  expect((await call('DELETE', `conversations/${id}`)).status).toBe(200)
})

test('reads the shown items only', async () => {
  const id = idOf(await call('POST', 'conversations', { items: ['a', 'b', 'c', 'd', 'e'].map(message) }))
  const { json } = await call('GET', `conversations/${id}/items?order=asc`)
  const ids = asArray(json.data).map(item => asString(asObject(item).id) ?? '')
  const [first = '', , third = '', fourth = '', last = ''] = ids
  // Whatever reads one of these fails.
  const items = withResponseTables(relay.db).updateTable('conversation_items')
  await items.set({ item_encrypted: 'broken' }).where('item_id', 'in', [first, third]).execute()
  const list = async (query: string) => {
    const page = (await call('GET', `conversations/${id}/items?${query}`)).json
    return [asArray(page.data).map(item => asObject(item).id), page.has_more]
  }
  expect(await list('limit=1')).toEqual([[last], true])
  expect(await list(`order=asc&after=${third}`)).toEqual([[fourth, last], false])
  expect((await call('GET', `conversations/${id}/items/${last}`)).json.id).toBe(last)
  expect((await call('DELETE', `conversations/${id}/items/${first}`)).status).toBe(200)
})

const readSizes = async () => {
  const tables = withResponseTables(relay.db)
  const rows = await tables.selectFrom('conversations').select(['bytes', 'item_count']).execute()
  const items = await tables.selectFrom('conversation_items').select('item_encrypted').execute()
  const [row] = rows
  const bytes = items.reduce((sum, item) => sum + item.item_encrypted.length, 0)
  return { metadata: Number(row?.bytes) - bytes, missing: items.length - Number(row?.item_count) }
}

test('keeps the size of a conversation, whatever changes it', async () => {
  await relay.addChannel({ type: OPENAI })
  const id = idOf(await call('POST', 'conversations', { items: [message('zero'), message('one')] }))
  const { metadata } = await readSizes()
  const request = { model: 'lab', input: 'two', conversation: id, stream: true }
  const { json } = await call('GET', `conversations/${id}/items`)
  const steps = [
    () => call('POST', `conversations/${id}/items`, { items: [message('three')] }),
    () => call('DELETE', `conversations/${id}/items/${asString(json.last_id)}`),
    () => call('POST', 'responses', request),
    () => {
      isBroken = true
      return call('POST', 'responses', { ...request, input: 'x'.repeat(10_000) })
    },
  ]
  for (const step of steps) {
    await step()
    expect(await readSizes()).toEqual({ metadata, missing: 0 })
  }
  await call('POST', `conversations/${id}`, { metadata: { a: 'x'.repeat(300) } })
  const grown = (await readSizes()).metadata - metadata
  expect(grown).toBeGreaterThan(300)
  await call('POST', `conversations/${id}`, { metadata: {} })
  expect((await readSizes()).metadata).toBe(metadata)
})

test('limits conversations by number and metadata, in one space with responses', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const previous = idOf(await call('POST', 'responses', { model: 'lab', input: 'one' }))
  await withResponseTables(relay.db).updateTable('stored_responses').set({ used_at: 1 }).execute()
  const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`k${at}`, 'x'.repeat(512)]))
  for (let created = 0; created < 120; created += 1)
    await call('POST', 'conversations', created % 2 ? {} : { metadata })
  const rows = await withResponseTables(relay.db).selectFrom('conversations').select('bytes').execute()
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
  expect(rows.length).toBeLessThan(120)
  expect(bytes).toBeLessThan(1.1 * MIB)
  expect((await call('GET', `responses/${previous}`)).status).toBe(404)
})

test('takes what a request continues from the memory for bodies, before it is read', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await call('POST', 'conversations', { items: [message('x'.repeat(300_000))] }))
  const previous = idOf(await call('POST', 'responses', { model: 'lab', input: 'x'.repeat(300_000) }))
  const item = { type: 'item_reference', id: `msg_${previous.slice('resp_'.length)}` }
  await withResponseTables(relay.db).updateTable('conversation_items').set({ item_encrypted: 'x' }).execute()
  const memory = createBodyMemory(300 * KIB)
  bodies = []
  const continued = [{ conversation: id }, { previous_response_id: previous }, { input: [item] }]
  for (const path of ['responses', 'responses/input_tokens'])
    for (const fields of continued) {
      const text = JSON.stringify({ model: 'lab', input: 'x', ...fields })
      const headers = { authorization: `Bearer sk-${token}` }
      const request = new Request(`http://gateway.test/v1/${path}`, { method: 'POST', headers, body: text })
      const connection = connectionFor(request, text, memory)
      const response = await runRelay(request, connection, relay.context)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    }
  expect(bodies).toHaveLength(0)
})

const MODELS = { model_limits_enabled: 1, model_limits: 'lab' }
const ADDRESSES = { allow_ips: '192.0.2.0/24' }
const NOTHING = {}

test.each([
  [NOTHING, NOTHING, true],
  [NOTHING, MODELS, false],
  [NOTHING, ADDRESSES, false],
  [MODELS, NOTHING, false],
  [MODELS, MODELS, false],
  [ADDRESSES, NOTHING, false],
])('what a token limited by %p stores is for one limited by %p: %p', async (maker, reader, isAllowed) => {
  await relay.addChannel({ type: ANTHROPIC })
  const own = await relay.addToken({ columns: maker })
  token = own
  const request = { model: 'lab', input: 'one' }
  const conversation = idOf(await call('POST', 'conversations', { items: [message('zero')] }))
  const response = idOf(await call('POST', 'responses', request))
  const background = idOf(await call('POST', 'responses', { ...request, background: true }))
  const uses = () =>
    Promise.all([
      call('GET', `conversations/${conversation}`),
      call('GET', `conversations/${conversation}/items`),
      call('POST', `conversations/${conversation}`, { metadata: {} }),
      call('POST', 'responses', { ...request, conversation }),
      call('POST', 'responses', { ...request, previous_response_id: response }),
      call('GET', `responses/${response}`),
      call('GET', `responses/${response}/input_items`),
      call('GET', `responses/${background}`),
    ])
  const deletions = () =>
    Promise.all([
      call('DELETE', `responses/${background}`),
      call('DELETE', `responses/${response}`),
      call('DELETE', `conversations/${conversation}`),
    ])
  const statusesOf = (calls: readonly { readonly status: number }[]) =>
    new Set(calls.map(({ status }) => status))
  expect(statusesOf(await uses())).toEqual(new Set([200]))
  token = await relay.addToken({ columns: reader })
  expect(statusesOf(await uses())).toEqual(new Set([isAllowed ? 200 : 404]))
  if (isAllowed) return
  expect(statusesOf(await deletions())).toEqual(new Set([404]))
  token = own
  expect(statusesOf(await deletions())).toEqual(new Set([200]))
})

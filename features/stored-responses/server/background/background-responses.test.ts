import { afterEach, beforeEach, expect, test } from 'bun:test'
import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import { receivedResponse } from '#server/testing/received-response.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { withResponseTables } from '../tables.ts'
import { waitFor } from '../testing/wait-for.ts'

const OPENAI = 1
const ANTHROPIC = 14

let relay: TestRelay
let token: string
let bodies: JsonObject[] = []
/** Lets the provider end its response. */
let finish: () => void = () => undefined

const toEvents = (events: readonly JsonObject[]): string =>
  events.map(event => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const usage = { input_tokens: 10, output_tokens: 2 }
const ITEM = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'yes' }],
}
const NATIVE = { id: 'resp_of_provider', status: 'completed', model: 'lab', output: [ITEM], usage }

/** The first and the last events of both providers. */
const EVENTS = {
  responses: [
    [
      {
        type: 'response.created',
        sequence_number: 0,
        response: { ...NATIVE, status: 'in_progress', output: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 1, delta: 'yes' },
    ],
    [{ type: 'response.completed', sequence_number: 2, response: NATIVE }],
  ],
  messages: [
    [
      { type: 'message_start', message: { id: 'm', model: 'lab', usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'yes' } },
    ],
    [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ],
  ],
} as const

function respond(url: string): Response {
  const [first, last] = EVENTS[url.endsWith('/messages') ? 'messages' : 'responses']
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(toEvents(first)))
      finish = () => {
        controller.enqueue(encoder.encode(toEvents(last)))
        controller.close()
      }
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

beforeEach(async () => {
  bodies = []
  relay = await TestRelay.open({
    send: async ({ url, body }) => {
      bodies.push(asObject(JSON.parse(String(body))))
      return receivedResponse(respond(url))
    },
  })
  token = await relay.addToken()
})

afterEach(async () => {
  await relay.stopFeatures()
  await relay.close()
})

const request = (fields: JsonObject = {}) =>
  relay.request('/v1/responses', token, { model: 'lab', input: 'hi', background: true, ...fields })

const start = async (fields: JsonObject = {}): Promise<JsonObject> =>
  asObject(await (await request(fields)).json())

async function call(path: string, method = 'GET'): Promise<{ status: number; json: JsonObject }> {
  const headers = { authorization: `Bearer sk-${token}` }
  const response = await relay.handle(
    new Request(`http://gateway.test/v1/responses/${path}`, { method, headers }),
  )
  return { status: response.status, json: asObject(await response.json()) }
}

const statusOf = async (id: string): Promise<unknown> => (await call(id)).json.status
const idOf = (json: JsonObject): string => asString(json.id) ?? ''

const charges = () => relay.db.selectFrom('logs').select('quota').where('type', '=', 2).execute()
const holds = () => relay.db.selectFrom('holds').select('request_id').execute()

function follow(id: string, query = '', key = token): Promise<Response> {
  const url = `http://gateway.test/v1/responses/${id}?stream=true${query}`
  return relay.handle(new Request(url, { headers: { authorization: `Bearer sk-${key}` } }))
}

async function resume(id: string, after?: number): Promise<readonly JsonObject[]> {
  const response = await follow(id, after === undefined ? '' : `&starting_after=${after}`)
  const text = await response.text()
  return text
    .split('\n\n')
    .filter(event => event !== '')
    .map(event => asObject(JSON.parse(event.split('data: ')[1] ?? '')))
}

test.each([
  ['translated', ANTHROPIC],
  ['native', OPENAI],
])('runs a %s response on and charges it once', async (_, type) => {
  await relay.addChannel({ type })
  const started = await start()
  const id = idOf(started)
  expect(started).toMatchObject({ status: 'queued', background: true, output: [] })
  await waitFor(() => bodies.length > 0)
  expect(bodies[0]?.background).toBeUndefined()
  expect(await statusOf(id)).toBe('in_progress')
  finish()
  await waitFor(async () => (await statusOf(id)) === 'completed')
  const { json } = await call(id)
  expect(json).toMatchObject({ id, background: true, output: [{ content: [{ text: 'yes' }] }] })
  expect(await charges()).toHaveLength(1)
  const next = start({ background: false, stream: true, previous_response_id: id }).catch(() => undefined)
  await waitFor(() => bodies.length > 1)
  expect(JSON.stringify(bodies.at(-1))).toContain('yes')
  finish()
  await next
})

test('resumes a stream after an event, during the response and after it, in any process', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await start())
  await waitFor(() => bodies.length > 0)
  relay.switchProcess()
  const live = resume(id)
  await Bun.sleep(300)
  finish()
  const all = await live
  const numbers = all.map(event => event.sequence_number)
  expect(numbers).toEqual(all.map((_, index) => index))
  expect(all.at(-1)).toMatchObject({ type: 'response.completed', response: { id, status: 'completed' } })
  expect(await resume(id, 3)).toEqual(all.slice(4))
  expect(await resume(id, all.length)).toEqual([])
})

test('streams a response in the background, which runs on when the client leaves', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const response = await request({ stream: true })
  const reader = response.body?.getReader()
  const first = new TextDecoder().decode((await reader?.read())?.value)
  const id = /"id":"(resp_\w+)"/.exec(first)?.[1] ?? ''
  await reader?.cancel()
  finish()
  await waitFor(async () => (await statusOf(id)) === 'completed')
  expect(await charges()).toHaveLength(1)
})

test.each([false, true])(
  'cancels a response and charges what was used, from another process: %p',
  async isOther => {
    await relay.addChannel({ type: ANTHROPIC })
    const id = idOf(await start())
    await waitFor(async () => (await resumeSoFar(id)).length > 2)
    if (isOther) relay.switchProcess()
    expect((await call(`${id}/cancel`, 'POST')).json).toMatchObject({ id, status: 'cancelled' })
    await waitFor(async () => (await holds()).length === 0)
    await relay.stopFeatures()
    expect(await statusOf(id)).toBe('cancelled')
    expect(await charges()).toHaveLength(1)
    expect((await call(`${id}/cancel`, 'POST')).json).toMatchObject({ status: 'cancelled' })
  },
)

const resumeSoFar = (id: string) =>
  withResponseTables(relay.db)
    .selectFrom('background_events')
    .select('last_number')
    .where('response_id', '=', id)
    .execute()
    .then(rows => rows.flatMap(row => Array.from({ length: Number(row.last_number) + 1 })))

test('reports the response of a dead process as failed', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await start())
  await withResponseTables(relay.db).updateTable('background_responses').set({ alive_at: 1 }).execute()
  relay.switchProcess()
  expect((await call(id)).json).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
  const failed = { type: 'response.failed', response: { id, status: 'failed' } }
  const events = await resume(id)
  expect(events.at(-1)).toMatchObject({ ...failed, sequence_number: events.length - 1 })
  expect(await resume(id, events.length - 2)).toMatchObject([failed])
})

test('ends the stream of a response that a shutdown cuts off with its failure', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await start())
  await relay.stopFeatures()
  expect((await resume(id)).at(-1)).toMatchObject({
    type: 'response.failed',
    response: { id, status: 'failed', error: { code: 'server_error' } },
  })
})

test('counts simultaneous requests of a user, and the streams that follow them', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const started = await Promise.all(Array.from({ length: 70 }, () => request()))
  const statuses = started.map(({ status }) => status)
  expect(statuses.filter(status => status === 200)).toHaveLength(64)
  expect(statuses.filter(status => status === 503)).toHaveLength(6)
  const [first] = started.filter(({ status }) => status === 200)
  const id = idOf(asObject(await first?.json()))
  const streams = await Promise.all(Array.from({ length: 64 }, () => follow(id)))
  expect((await follow(id)).status).toBe(503)
  await streams[0]?.body?.cancel()
  expect((await follow(id)).status).toBe(200)
})

test('a stream of stored events ends with the token that reads it, and the response with the one that began it', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await start())
  const reading = await relay.addToken({ columns: { name: 'reading' } })
  const streams = await Promise.all([follow(id), follow(id, '', reading)])
  const texts = streams.map(stream => stream.text())
  await relay.db.updateTable('tokens').set({ status: 2 }).where('name', '=', 'reading').execute()
  await relay.context.openCalls.check()
  expect(await texts[1]).toContain('the token is disabled')
  expect(await statusOf(id)).toBe('in_progress')
  await relay.db.updateTable('tokens').set({ status: 2 }).where('name', '=', 'key').execute()
  await relay.context.openCalls.check()
  expect(await texts[0]).toContain('the token is disabled')
  await waitFor(async () => (await holds()).length === 0)
  expect(await charges()).toHaveLength(1)
  await waitFor(() => relay.context.openCalls.size === 0)
})

test('refuses at once what the wallet cannot pay', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const balance = (quota: number) => relay.db.updateTable('users').set({ quota }).execute()
  await balance(3_000)
  const responses = await Promise.all(Array.from({ length: 5 }, () => request({ max_output_tokens: 5_000 })))
  for (const response of responses) {
    expect(response.status).toBe(429)
    expect(asObject(asObject(await response.json()).error).code).toBe('insufficient_quota')
  }
  expect(
    await withResponseTables(relay.db).selectFrom('background_responses').select('id').execute(),
  ).toEqual([])
  await balance(11_000)
  expect((await request({ max_output_tokens: 5_000 })).status).toBe(200)
})

test('leaves places for further users, however many fill theirs', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const started: number[] = []
  for (let user = 0; user < 6; user += 1) {
    const { id } = await relay.db
      .insertInto('users')
      .values({ username: `user ${user}`, aff_code: `user ${user}`, created_at: 1, quota: 1_000_000 })
      .returning('id')
      .executeTakeFirstOrThrow()
    token = await relay.addToken({ columns: { user_id: id } })
    const responses = await Promise.all(Array.from({ length: 70 }, () => request()))
    started.push(responses.filter(({ status }) => status === 200).length)
  }
  expect(started).toEqual([64, 48, 36, 27, 21, 15])
})

test('refuses at once a request that cannot run or cannot be stored', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  expect((await request({ model: 'unknown' })).status).toBe(404)
  expect((await request({ store: false })).status).toBe(400)
  expect(bodies).toHaveLength(0)
  expect(
    asArray(await withResponseTables(relay.db).selectFrom('background_responses').select('id').execute()),
  ).toEqual([])
})

test('deletes a response with its events, and shows no user the responses of others', async () => {
  await relay.addChannel({ type: ANTHROPIC })
  const id = idOf(await start())
  await waitFor(() => bodies.length > 0)
  finish()
  await waitFor(async () => (await statusOf(id)) === 'completed')
  const { id: other } = await relay.db
    .insertInto('users')
    .values({ username: 'other', aff_code: 'other', created_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await withResponseTables(relay.db).updateTable('background_responses').set({ user_id: other }).execute()
  await withResponseTables(relay.db).updateTable('stored_responses').set({ user_id: other }).execute()
  for (const [path, method] of [
    [id, 'GET'],
    [`${id}?stream=true`, 'GET'],
    [`${id}/cancel`, 'POST'],
    [id, 'DELETE'],
  ])
    expect((await call(path ?? '', method)).status).toBe(404)
  await withResponseTables(relay.db)
    .updateTable('background_responses')
    .set({ user_id: relay.userId })
    .execute()
  expect((await call(id, 'DELETE')).json).toEqual({ id, object: 'response', deleted: true })
  expect(
    await withResponseTables(relay.db).selectFrom('background_events').select('response_id').execute(),
  ).toEqual([])
})

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Server, ServerWebSocket } from 'bun'
import {
  createChannels,
  deleteChannels,
  listChannels,
} from '#features/channels/contract/channel-endpoints.ts'
import { listLogs } from '#features/logs/contract/logs.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addToken, PROVIDERS } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-realtime-preview'
const WALLET = 100_000
const WAIT_MS = 5_000

type Heard = { readonly type: string; readonly [name: string]: unknown }
type Upstream = ServerWebSocket<{ readonly headers: Headers; readonly url: string }>

/** Reaction of the provider to a client frame. */
let react: (socket: Upstream, event: Heard) => void = () => undefined
const opened: Upstream[] = []
let provider: Server<Upstream['data']>
let site: Site
let users = 0

beforeAll(async () => {
  provider = Bun.serve<Upstream['data']>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, server) {
      const data = { headers: request.headers, url: request.url }
      return server.upgrade(request, { data }) ? undefined : new Response('', { status: 400 })
    },
    websocket: {
      open(socket) {
        opened.push(socket)
        socket.send(JSON.stringify({ type: 'session.created', session: { input_audio_format: 'pcm16' } }))
      },
      message: (socket, frame) => react(socket, JSON.parse(String(frame))),
    },
  })
  site = await startSite()
  await setOptions(site.root, { ModelRatio: { [MODEL]: 2.5 }, CompletionRatio: { [MODEL]: 4 } })
  await addProvider(site.root)
})

const addProvider = (admin: AdminClient) =>
  admin.call(createChannels, {
    body: {
      type: PROVIDERS.openai,
      name: 'realtime',
      key: 'provider-key',
      base_url: `http://127.0.0.1:${provider.port}`,
      models: MODEL,
      group: 'default',
    },
  })

afterAll(async () => {
  const channels = await site.root.call(listChannels, { query: { page_size: 100 } })
  await site.root.call(deleteChannels, { body: { ids: channels.map(({ id }) => id) } })
  await site.stop()
  await provider.stop(true)
})

/** After every test the ledger must balance without open holds. */
afterEach(async () => {
  const audit = await verifyLedger({ DATA_DIR: site.gateway.dataDir })
  expect(audit).toMatchObject({ drift: 0, openHolds: 0 })
})

async function newKey(wallet = WALLET, token: Parameters<typeof addToken>[1] = {}): Promise<string> {
  users += 1
  const user = await addUser(site.gateway, { username: `speaker${users}`, wallet })
  return (await addToken(user, token)).key
}

interface TalkOptions {
  readonly protocols?: readonly string[]
  /** URL of another gateway. */
  readonly url?: string
}

/** A client socket and the frames it received. */
function talk(key: string, { protocols, url = site.gateway.url }: TalkOptions = {}) {
  const options = protocols
    ? { protocols: [...protocols] }
    : { headers: { authorization: `Bearer sk-${key}`, 'openai-beta': 'realtime=v1' } }
  const Socket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => WebSocket
  const socket = new Socket(`${url.replace(/^http/, 'ws')}/v1/realtime?model=${MODEL}`, options)
  const heard: Heard[] = []
  const closed = Promise.withResolvers<number>()
  socket.onmessage = ({ data }) => void heard.push(JSON.parse(String(data)))
  socket.onclose = ({ code }) => closed.resolve(code)
  const until = (type: string): Promise<Heard> =>
    waitUntil({ description: `an event ${type}`, timeoutMs: WAIT_MS }, async () =>
      heard.find(event => event.type === type),
    )
  return {
    socket,
    heard,
    until,
    closed: closed.promise,
    say: (event: object) => socket.send(JSON.stringify(event)),
  }
}

const rowOf = (username: string) =>
  waitUntil({ description: `the row of ${username}`, timeoutMs: WAIT_MS }, async () => {
    const { items } = await site.root.call(listLogs, { query: { username, page_size: 10 } })
    const rows = items.filter(({ type }) => type === 2 || type === 5)
    if (rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
    return rows[0]
  })

/** Enough for the first hold and six responses. */
const LITTLE_MONEY = 60_000
const MORE_THAN_PAID = 7

const usage = {
  input_tokens: 130,
  output_tokens: 60,
  input_token_details: { text_tokens: 30, audio_tokens: 100, cached_tokens: 0 },
  output_token_details: { text_tokens: 20, audio_tokens: 40 },
}
/** The charge with audio input at 20 times and audio output at 40 times the text price. */
const PRICE = (30 + 20 * 4 + 100 * 20 + 40 * 20 * 2) * 2.5

test('passes frames both ways and charges each response once by its own usage', async () => {
  react = (socket, event) => {
    if (event.type !== 'response.create') return
    socket.send(JSON.stringify({ type: 'response.text.delta', delta: 'Hello!' }))
    socket.send(JSON.stringify({ type: 'response.done', response: { status: 'completed', usage } }))
  }
  const client = talk(await newKey())
  await client.until('session.created')
  client.say({ type: 'response.create' })
  await client.until('response.done')
  client.say({ type: 'response.create' })
  await waitUntil(
    { description: 'two answers', timeoutMs: WAIT_MS },
    async () => client.heard.filter(({ type }) => type === 'response.done').length === 2,
  )
  expect(client.heard[2]).toEqual({ type: 'response.done', response: { status: 'completed', usage } })
  client.socket.close()
  const row = await rowOf(`speaker${users}`)
  expect(row).toMatchObject({
    type: 2,
    quota: 2 * PRICE,
    prompt_tokens: 260,
    completion_tokens: 120,
    is_stream: true,
  })
  expect(JSON.parse(row.other)).toMatchObject({
    ws: true,
    audio_input: 200,
    audio_output: 80,
    text_input: 60,
    text_output: 40,
    audio_ratio: 20,
    audio_completion_ratio: 2,
  })
  const { headers, url } = opened.at(-1)?.data ?? {}
  expect(new URL(url ?? '').search).toBe(`?model=${MODEL}`)
  expect(headers?.get('authorization')).toBe('Bearer provider-key')
  expect(headers?.get('openai-beta')).toBe('realtime=v1')
})

test('accepts a key in the sub-protocol and does not forward it', async () => {
  const key = await newKey()
  const client = talk(key, {
    protocols: ['realtime', `openai-insecure-api-key.sk-${key}`, 'openai-beta.realtime-v1'],
  })
  await client.until('session.created')
  expect(client.socket.protocol).toBe('realtime')
  const { headers } = opened.at(-1)?.data ?? {}
  expect(headers?.get('openai-beta')).toBe('realtime=v1')
  expect(JSON.stringify([...(headers ?? [])])).not.toContain(key)
  client.socket.close()
  expect(await rowOf(`speaker${users}`)).toMatchObject({ quota: 0 })
})

test('passes on no tool of the provider for a token that may not use any', async () => {
  const received: string[] = []
  react = (_, { type }) => void received.push(type)
  const client = talk(await newKey(WALLET, { server_tools: 'forbid' }))
  await client.until('session.created')
  const mcp = { type: 'mcp', server_label: 'x', server_url: 'https://mcp.example', require_approval: 'never' }
  client.say({ type: 'session.update', session: { tools: [mcp] } })
  client.say({ type: 'response.create', response: { tools: [mcp] } })
  client.say({ type: 'session.update', session: { tools: [{ type: 'function', name: 'f' }] } })
  await waitUntil({ description: 'the function', timeoutMs: WAIT_MS }, async () => received.length > 0)
  expect(received).toEqual(['session.update'])
  const problems = () => client.heard.filter(({ type }) => type === 'error')
  await waitUntil({ description: 'both refusals', timeoutMs: WAIT_MS }, async () => problems().length === 2)
  expect(JSON.stringify(problems())).toContain('does not allow the tool mcp')
  client.socket.close()
  expect(await rowOf(`speaker${users}`)).toMatchObject({ quota: 0 })
})

test('ends a conversation that the wallet can no longer afford', async () => {
  react = (socket, event) => {
    if (event.type === 'response.create')
      socket.send(JSON.stringify({ type: 'response.done', response: { usage } }))
  }
  const client = talk(await newKey(LITTLE_MONEY))
  await client.until('session.created')
  for (let responses = 0; responses < MORE_THAN_PAID; responses += 1) client.say({ type: 'response.create' })
  expect(await client.closed).toBe(1008)
  expect(client.heard.filter(({ type }) => type === 'response.done')).toHaveLength(MORE_THAN_PAID - 1)
  expect(client.heard.at(-1)).toMatchObject({ type: 'error', error: { code: 'insufficient_user_quota' } })
})

test('charges an estimate for the output before the provider disconnected', async () => {
  react = socket => {
    const delta = Buffer.alloc(48_000).toString('base64')
    socket.send(JSON.stringify({ type: 'response.audio.delta', delta }))
    socket.close(1011, 'broken')
  }
  const client = talk(await newKey())
  await client.until('session.created')
  client.say({ type: 'response.create' })
  expect(await client.closed).toBe(1011)
  const row = await rowOf(`speaker${users}`)
  expect(row).toMatchObject({ type: 2, completion_tokens: 14, quota: 14 * 40 * 2.5 })
  expect(JSON.parse(row.other)).toMatchObject({ is_estimated: true, ending: 'upstream-broke' })
})

test('charges nothing when the client disconnects before a response', async () => {
  react = () => undefined
  const client = talk(await newKey())
  await client.until('session.created')
  client.say({ type: 'input_audio_buffer.append', audio: Buffer.alloc(480_000).toString('base64') })
  client.socket.close()
  expect(await rowOf(`speaker${users}`)).toMatchObject({ quota: 0 })
})

test('ends and charges conversations before the gateway stops', async () => {
  react = socket => socket.send(JSON.stringify({ type: 'response.done', response: { usage } }))
  const folder = makeTemporaryFolder()
  const gateway = await startGateway({ dataDir: folder.path })
  const root = await gateway.signInAsRoot()
  await setOptions(root, { ModelRatio: { [MODEL]: 2.5 }, CompletionRatio: { [MODEL]: 4 } })
  await addProvider(root)
  const { key } = await addToken(root)
  const client = talk(key, { url: gateway.url })
  await client.until('session.created')
  client.say({ type: 'response.create' })
  await client.until('response.done')
  expect(await gateway.stop()).toBe(0)
  expect(await client.closed).toBe(1001)
  const charged = await inDatabase({ dataDir: folder.path }, db =>
    db.selectFrom('logs').select('quota').where('type', '=', 2).execute(),
  )
  expect(charged).toEqual([{ quota: PRICE }])
  expect(await verifyLedger({ DATA_DIR: folder.path })).toMatchObject({ drift: 0, openHolds: 0 })
  folder.remove()
})

test('rejects requests without an upgrade, a model or a key', async () => {
  const key = await newKey()
  const ask = (query: string, authorization: string, headers: Record<string, string> = {}) =>
    fetch(`${site.gateway.url}/v1/realtime${query}`, { headers: { authorization, ...headers } })
  expect((await ask(`?model=${MODEL}`, `Bearer sk-${key}`)).status).toBe(400)
  expect((await ask(`?model=${MODEL}`, 'Bearer sk-wrong')).status).toBe(401)
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' }
  expect((await ask('', `Bearer sk-${key}`, upgrade)).status).toBe(400)
})

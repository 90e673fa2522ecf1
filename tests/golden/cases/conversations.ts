import { waitUntil } from '../../harness/wait-until.ts'
import type { Json } from '../normalise.ts'
import type { GoldenCase, GoldenClient } from '../recorder.ts'

const MODEL = 'gpt-4o-mini'
const CHAT_ONLY = 'chat-only'
const TIMEOUT_MS = 10_000
const GET = { method: 'GET' } as const
const DELETE = { method: 'DELETE' } as const

const field = (json: Json, name: string): string => {
  const value =
    typeof json === 'object' && json !== null ? Object.entries(json).find(([key]) => key === name) : undefined
  return String(value?.[1] ?? '')
}

const respond = (client: GoldenClient, fields: Readonly<Record<string, Json>>) =>
  client.call({ path: '/v1/responses', body: { model: MODEL, input: 'hello [lab: tokens-3]', ...fields } })

/** A response, one that continues it, and what the API tells of both. */
const continued =
  (model: string): GoldenCase =>
  async client => {
    const first = await respond(client, { model })
    const id = field(first.json, 'id')
    await respond(client, { model, input: 'and then? [lab: tokens-2]', previous_response_id: id })
    await client.call({ ...GET, path: `/v1/responses/${id}` })
    await client.call({ ...GET, path: `/v1/responses/${id}/input_items` })
    await client.call({ ...DELETE, path: `/v1/responses/${id}` })
    await respond(client, { model, previous_response_id: id })
  }

const conversation: GoldenCase = async client => {
  const items = [{ type: 'message', role: 'user', content: 'my name is Ada' }]
  const made = await client.call({ path: '/v1/conversations', body: { items, metadata: { topic: 'names' } } })
  const id = field(made.json, 'id')
  await respond(client, { conversation: id })
  await client.call({ ...GET, path: `/v1/conversations/${id}/items` })
  await client.call({ path: `/v1/conversations/${id}`, body: { metadata: { topic: 'none' } } })
  await client.call({ ...DELETE, path: `/v1/conversations/${id}` })
  await client.call({ ...GET, path: `/v1/conversations/${id}` })
}

const background: GoldenCase = async client => {
  const begun = await respond(client, { background: true })
  const id = field(begun.json, 'id')
  await client.poll({ ...GET, path: `/v1/responses/${id}` }, ({ json }) =>
    ['completed', 'failed'].includes(field(json, 'status')),
  )
  await client.call({ path: `/v1/responses/${id}/cancel`, body: {} })
}

/** Two responses of a realtime conversation, each charged by its own usage. */
const realtime: GoldenCase = async client => {
  const { gateway, keys } = client.site
  const socket = openSocket(`${gateway.url}/v1/realtime?model=gpt-realtime`, keys.get('realtime') ?? '')
  const frames: Json[] = []
  const closed = Promise.withResolvers<number>()
  socket.onmessage = ({ data }) => void frames.push(JSON.parse(String(data)))
  socket.onclose = ({ code }) => closed.resolve(code)
  const until = (count: number) =>
    waitUntil({ description: `${count} frames`, timeoutMs: TIMEOUT_MS }, () => frames.length >= count)
  await until(1)
  for (const count of [3, 5]) {
    socket.send(JSON.stringify({ type: 'response.create', response: { instructions: 'Be brief.' } }))
    await until(count)
  }
  client.record(
    'sent upstream',
    client.site.fixed.takeRequests().map(({ body }) => body),
  )
  socket.close()
  await closed.promise
  client.record('frames', frames)
}

/** Safe cast: Bun's sockets take headers, which the standard's type does not know. */
function openSocket(url: string, key: string): WebSocket {
  const Socket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => WebSocket
  return new Socket(url.replace(/^http/, 'ws'), { headers: { authorization: `Bearer sk-${key}` } })
}

/** Turns of the Responses API, stored conversations, background work and sockets. */
export const conversations: Readonly<Record<string, GoldenCase>> = {
  'a continued response at its provider': continued(MODEL),
  'a continued response through a provider of chat': continued(CHAT_ONLY),
  'an unknown previous response': async client => {
    await respond(client, { previous_response_id: 'resp_unknown' })
  },
  conversation,
  background,
  realtime,
}

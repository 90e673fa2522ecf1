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

/** A response, its continuation, and the endpoints that read and delete it. */
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
  const made = await client.call({
    path: '/v1/conversations',
    body: { items, metadata: { subject: 'names' } },
  })
  const id = field(made.json, 'id')
  await respond(client, { conversation: id })
  await client.call({ ...GET, path: `/v1/conversations/${id}/items` })
  await client.call({ path: `/v1/conversations/${id}`, body: { metadata: { subject: 'none' } } })
  await client.call({ ...DELETE, path: `/v1/conversations/${id}` })
  await client.call({ ...GET, path: `/v1/conversations/${id}` })
}

const background: GoldenCase = async client => {
  const started = await respond(client, { background: true })
  const id = field(started.json, 'id')
  await client.poll({ ...GET, path: `/v1/responses/${id}` }, ({ json }) =>
    ['completed', 'failed'].includes(field(json, 'status')),
  )
  await client.call({ path: `/v1/responses/${id}/cancel`, body: {} })
}

interface Conversation {
  readonly path: string
  readonly token: string
  /** Each frame of the client, and whether the frames from the gateway complete its response. */
  readonly turns: readonly (readonly [frame: object, isComplete: (frames: readonly Json[]) => boolean])[]
}

/** Speaks through a socket, turn by turn, and records the frames of both sides. */
async function converse(client: GoldenClient, { path, token, turns }: Conversation): Promise<void> {
  const { gateway, keys } = client.site
  const socket = openSocket(`${gateway.url}${path}`, keys.get(token) ?? '')
  const frames: Json[] = []
  const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  socket.onopen = () => opened.resolve()
  socket.onmessage = ({ data }) => void frames.push(JSON.parse(String(data)))
  socket.onclose = () => closed.resolve()
  await opened.promise
  for (const [frame, isComplete] of turns) {
    socket.send(JSON.stringify(frame))
    await waitUntil({ description: `a response on ${path}`, timeoutMs: TIMEOUT_MS }, () => isComplete(frames))
  }
  socket.close()
  await closed.promise
  client.record('frames', frames, token)
}

const count = (frames: readonly Json[], type: string): number =>
  frames.filter(frame => field(frame, 'type') === type).length

/** Two responses of a realtime conversation, each charged by its own usage. */
const realtime: GoldenCase = client =>
  converse(client, {
    path: '/v1/realtime?model=gpt-realtime',
    token: 'realtime',
    turns: [1, 2].map(turn => [
      { type: 'response.create', response: { instructions: 'Be brief.' } },
      frames => count(frames, 'response.done') === turn,
    ]),
  })

/** Two turns of the Responses API over one socket. */
const socketTurns: GoldenCase = client =>
  converse(client, {
    path: '/v1/responses',
    token: 'socket',
    turns: [1, 2].map(turn => [
      { type: 'response.create', model: MODEL, input: `turn ${turn} [lab: tokens-2]`, store: false },
      frames => count(frames, 'response.completed') === turn,
    ]),
  })

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
  'turns over a socket': socketTurns,
}

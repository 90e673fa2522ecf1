import { waitUntil } from '../../harness/wait-until.ts'
import type { Json } from '../normalise.ts'
import type { GoldenCases, GoldenClient } from '../recorder.ts'
import { field } from './tasks.ts'

const TIMEOUT_MS = 10_000

interface Conversation {
  readonly path: string
  readonly token: string
  /** Each frame of the client, and whether the frames from the gateway complete its response. */
  readonly turns: readonly (readonly [frame: object, isComplete: (frames: readonly Json[]) => boolean])[]
}

/** Speaks through a socket, turn by turn, and records the frames of both sides. */
export async function converse(client: GoldenClient, { path, token, turns }: Conversation): Promise<void> {
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

/** How many frames are of this type. */
export const count = (frames: readonly Json[], type: string): number =>
  frames.filter(frame => field(frame, 'type') === type).length

/** Two responses of a realtime conversation, each charged by its own usage. */
export const sockets: GoldenCases = {
  realtime: client =>
    converse(client, {
      path: '/v1/realtime?model=gpt-realtime',
      token: 'realtime',
      turns: [1, 2].map(turn => [
        { type: 'response.create', response: { instructions: 'Be brief.' } },
        frames => count(frames, 'response.done') === turn,
      ]),
    }),
}

/** Safe cast: Bun's sockets take headers, which the standard's type does not know. */
function openSocket(url: string, key: string): WebSocket {
  const Socket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => WebSocket
  return new Socket(url.replace(/^http/, 'ws'), { headers: { authorization: `Bearer sk-${key}` } })
}

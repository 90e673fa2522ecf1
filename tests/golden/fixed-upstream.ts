import type { ServerWebSocket } from 'bun'
import type { Json } from './normalise.ts'

/** What a provider responds to every request below a path. */
export interface FixedReply {
  readonly status?: number
  /** Sent as JSON; a text is sent as an event stream. */
  readonly body: Json
}

/** A request that an upstream received. */
export interface SentRequest {
  readonly upstream: string
  readonly path: string
  readonly body: Json
}

/** Replays responses of providers whose formats and figures the fault lab does not have, such as searches and tiers. */
export interface FixedUpstream {
  /** Without a trailing slash; the name of a reply follows. */
  readonly url: string
  /** The requests since the last call. */
  takeRequests(): readonly SentRequest[]
  stop(): Promise<void>
}

type Socket = ServerWebSocket<{ readonly name: string }>

/** `react`: the frames that follow a frame of a realtime client. */
export function startFixedUpstream(
  replies: Readonly<Record<string, FixedReply>>,
  react: (frame: string) => readonly object[],
): FixedUpstream {
  const requests: SentRequest[] = []
  const server = Bun.serve<Socket['data']>({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request, bunServer) {
      const { pathname, search } = new URL(request.url)
      const [, name = '', ...rest] = pathname.split('/')
      const path = `/${rest.join('/')}${search}`
      if (bunServer.upgrade(request, { data: { name } })) return undefined
      const text = await request.text()
      requests.push({ upstream: name, path, body: text === '' ? null : JSON.parse(text) })
      const { status = 200, body } = replies[name] ?? { status: 404, body: { error: { message: 'unknown' } } }
      return typeof body === 'string'
        ? new Response(body, { status, headers: { 'content-type': 'text/event-stream' } })
        : Response.json(body, { status })
    },
    websocket: {
      open: socket => send(socket, [{ type: 'session.created', session: { id: 'sess_1' } }]),
      message: (socket: Socket, frame) => {
        requests.push({ upstream: socket.data.name, path: 'frame', body: JSON.parse(String(frame)) })
        send(socket, react(String(frame)))
      },
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    takeRequests: () => requests.splice(0),
    stop: () => server.stop(true),
  }
}

function send(socket: Socket, frames: readonly object[]): void {
  for (const frame of frames) socket.send(JSON.stringify(frame))
}

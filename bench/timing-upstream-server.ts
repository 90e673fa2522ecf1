import { elapsedMs, nowSeconds } from '#server/core/clock.ts'
import { sharedClockMs } from './stream-timer.ts'

/**
 * An upstream that writes the time into each event just before it sends it. It speaks HTTP/1.1 over plain sockets, so that
 * little stands between the stamp and the network. Arguments: the port, the events of a stream and the milliseconds between
 * them. A request that asks for no stream gets the complete response at once.
 */
const [port, events, paceMs] = process.argv.slice(2).map(Number)

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n'
const LAST_CHUNK = '0\r\n\r\n'
const PROMPT_TOKENS = 12

type Client = Bun.Socket<{ received: string }>

Bun.listen<{ received: string }>({
  hostname: '127.0.0.1',
  port: port ?? 0,
  socket: {
    open(socket) {
      socket.data = { received: '' }
      socket.setNoDelay(true)
    },
    data(socket, bytes) {
      const text = socket.data.received + bytes.toString('latin1')
      const request = takeRequest(text)
      socket.data.received = request ? request.rest : text
      if (request) respond(socket, request.body)
    },
  },
})

/** Undefined while the request is incomplete. Clients send one request at a time. */
function takeRequest(text: string): { readonly body: string; readonly rest: string } | undefined {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const bodyStart = headEnd + HEAD_END.length
  const bodyEnd = bodyStart + Number(CONTENT_LENGTH.exec(text.slice(0, headEnd))?.[1] ?? 0)
  if (text.length < bodyEnd) return undefined
  return { body: text.slice(bodyStart, bodyEnd), rest: text.slice(bodyEnd) }
}

function respond(socket: Client, body: string): void {
  if (!/"stream" *: *true/.test(body)) socket.write(completeResponse())
  else streamEvents(socket, /"include_usage" *: *true/.test(body))
}

function streamEvents(socket: Client, reportsUsage: boolean): void {
  const startedMs = elapsedMs()
  let sent = 0
  socket.write(STREAM_HEAD)
  const sendNext = () => {
    sent += 1
    socket.write(chunk({ choices: [choice({ content: `@${sharedClockMs().toFixed(3)} ` })] }))
    if (sent < (events ?? 0)) setTimeout(sendNext, startedMs + sent * (paceMs ?? 0) - elapsedMs())
    else socket.write(streamEnd(reportsUsage))
  }
  sendNext()
}

const choice = (delta: object, finishReason: string | null = null) => ({
  index: 0,
  delta,
  finish_reason: finishReason,
})

const chunk = (fields: object): string =>
  toChunk(
    `data: ${JSON.stringify({ id: 'chatcmpl-timing', object: 'chat.completion.chunk', ...common(), ...fields })}\n\n`,
  )

function streamEnd(reportsUsage: boolean): string {
  const usage = reportsUsage ? chunk({ choices: [], usage: usageOf(events ?? 0) }) : ''
  return `${chunk({ choices: [choice({}, 'stop')] })}${usage}${toChunk('data: [DONE]\n\n')}${LAST_CHUNK}`
}

/** All text is ASCII. */
const toChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

function completeResponse(): string {
  const message = { role: 'assistant', content: `@${sharedClockMs().toFixed(3)} 23 degrees.` }
  const text = JSON.stringify({
    id: 'chatcmpl-timing',
    object: 'chat.completion',
    ...common(),
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: usageOf(5),
  })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

const common = () => ({ created: nowSeconds(), model: 'gpt-4o-mini' })

const usageOf = (completionTokens: number) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: completionTokens,
  total_tokens: PROMPT_TOKENS + completionTokens,
})

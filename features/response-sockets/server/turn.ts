import { GatewayError } from '#server/core/errors.ts'
import { NO_USAGE } from '#server/core/usage.ts'
import type { ResponseContext } from '#server/provider-kit/contract/client-dialect.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import type { RelayHooks } from '#server/relay/hooks.ts'
import type { RelayServices } from '#server/relay/relay-services.ts'
import type { ClientSocket } from '#server/relay/request/client-connection.ts'
import { DetachedConnection, type DetachedRequest } from '#server/relay/request/detached-connection.ts'
import type { RelayRequest } from '#server/relay/types.ts'
import type { ConnectionState } from './connection-state.ts'

export const NOT_AN_EVENT = {
  zh: '应为 response.create 事件的 JSON',
  en: 'expected a response.create event as JSON',
}

/**
 * One event of a client as the body of a request. It is opened within the relay, once its caller is admitted and its text
 * has been parsed like any other body.
 */
export class Turn extends DetachedConnection {
  /** Prepares the connection for a request: calls no provider and costs nothing. */
  isWarmUp = false
  /** Whether it is an event that requests a response. */
  isEvent = false
  /** The request, when its response is stored nowhere else and the next turn may continue it. */
  continued: JsonObject | undefined
  private readonly state: ConnectionState

  constructor(request: DetachedRequest, state: ConnectionState) {
    super(request)
    this.state = state
  }

  /** The body of the request. Throws GatewayError `invalid_request` for any other event. */
  open(event: unknown): JsonObject {
    if (!isObject(event) || event.type !== 'response.create')
      throw new GatewayError('invalid_request', NOT_AN_EVENT)
    const { type: _, generate, background: __, stream_id: ___, ...fields } = event
    this.isEvent = true
    this.isWarmUp = generate === false
    const body = this.state.resolve(this.isWarmUp ? { input: [], ...fields } : fields)
    if (this.isWarmUp || fields.store === false) this.continued = body
    return { ...body, stream: true, ...(this.isWarmUp && { store: false }) }
  }
}

/** Opens the events of sockets, and responds to those that prepare a request. */
export const turnHooks: RelayHooks = {
  completeBody: async ({ value }, { connection }) =>
    connection instanceof Turn ? { json: connection.open(value), echoedFields: {} } : undefined,
  respondInstead: async ({ client, context }, _, { connection }) =>
    connection instanceof Turn && connection.isWarmUp
      ? new Response(writeWarmUp({ client, context }), { headers: { 'content-type': 'text/event-stream' } })
      : undefined,
}

/** The next turn refers to the response and inherits its input. */
function writeWarmUp({ client, context }: Pick<RelayRequest, 'client' | 'context'>): string {
  const echoedFields = keepShort(context.echoedFields)
  const writer = client.chat.createWriter({ ...context, inputTokens: 0, echoedFields })
  return writer.write({ type: 'start' }) + writer.end(NO_USAGE)
}

const ECHOED_CHARS_MAX = 512

/** A response without output is not worth repeating a long request three times. */
const keepShort = (fields: ResponseContext['echoedFields']): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) =>
      typeof value === 'string' ? value.length <= ECHOED_CHARS_MAX : typeof value !== 'object',
    ),
  )

/** What the client is told of a turn. */
export interface TurnResult {
  /** The response that the last event repeats. Undefined when the turn has failed. */
  readonly response?: JsonObject | undefined
  /** The code of the error, when the turn has failed before its stream. */
  readonly errorCode?: string | undefined
  readonly status?: number
}

interface TurnParts {
  readonly respond: RelayServices['respond']
  /** Of the handshake: the key and the marks of the session. */
  readonly headers: Headers
  readonly socket: ClientSocket
  /** Aborts with the connection. */
  readonly signal: AbortSignal
}

/** Headers of the handshake that are not of the request. */
const HANDSHAKE_HEADERS = /^(sec-websocket-.*|upgrade|connection|content-.*|transfer-encoding|host)$/

/** Requests a response and sends its events as frames, at the client's pace. Resolves when it is charged. */
export async function runTurn(turn: Turn, parts: TurnParts): Promise<TurnResult> {
  const { respond, headers, signal, socket } = parts
  const request = new Request(turn.url, { method: 'POST', headers: toRequestHeaders(headers), signal })
  const response = await respond(request, turn).finally(() => turn.releaseMemory())
  if (response.body && response.headers.get('content-type')?.includes('event-stream'))
    return sendEvents(response.body, socket, signal)
  const json = asObject(parseJson(await response.text()))
  socket.send(JSON.stringify({ type: 'error', status: response.status, ...json, ...limitsOf(response) }))
  return { errorCode: asString(asObject(json.error).code), status: response.status }
}

const LIMIT_HEADERS = /^(retry-after|x-should-retry|x-ratelimit-.*)$/

/** Frames have no headers: Codex reads those of a rejected turn from its event. */
function limitsOf({ headers }: Response): { readonly headers?: JsonObject } {
  const limits = [...headers].filter(([name]) => LIMIT_HEADERS.test(name))
  return limits.length === 0 ? {} : { headers: Object.fromEntries(limits) }
}

function toRequestHeaders(handshake: Headers): Headers {
  const headers = new Headers()
  for (const [name, value] of handshake) if (!HANDSHAKE_HEADERS.test(name)) headers.set(name, value)
  return headers
}

const FINAL_EVENTS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])
/** The end of a stream, which is no event. */
const DONE = '[DONE]'

async function sendEvents(
  body: ReadableStream<Uint8Array>,
  socket: ClientSocket,
  signal: AbortSignal,
): Promise<TurnResult> {
  const framer = createFramer('sse')
  const reader = body.getReader()
  let lastData = ''
  for (let isDone = false; !isDone; ) {
    // Resolves when the usage is charged.
    if (signal.aborted) return reader.cancel().then(() => ({}))
    const { value, done } = await reader.read()
    for (const { data } of value ? framer.push(value) : framer.end()) {
      if (data === DONE) continue
      lastData = data
      socket.send(data)
    }
    await socket.drained()
    isDone = done
  }
  return readResult(lastData)
}

function readResult(lastData: string): TurnResult {
  const { type, response } = asObject(parseJson(lastData))
  return FINAL_EVENTS.has(type) && isObject(response) ? { response } : {}
}

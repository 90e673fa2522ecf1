import { nowSeconds } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { newRequestId } from '#server/core/ids.ts'
import { inLanguage, type Language } from '#server/core/language.ts'
import { NO_USAGE } from '#server/core/usage.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asObject, asString, isObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import type { RelayServices } from '#server/relay/relay-services.ts'
import type { ClientSocket } from '#server/relay/request/client-connection.ts'
import { DetachedConnection } from '#server/relay/request/detached-connection.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'

export interface TurnResult {
  /** The response that the last event repeats. */
  readonly response: JsonObject
}

/** Context that all turns of a socket share. */
export interface ResponseSocketContext {
  readonly respond: RelayServices['respond']
  readonly client: ClientDialect
  readonly language: Language
  readonly url: URL
  /** Of the handshake: the key and the marks of the session. */
  readonly headers: Headers
  readonly clientIp: string
}

interface TurnParts extends ResponseSocketContext {
  readonly socket: ClientSocket
  /** Aborts with the connection. */
  readonly signal: AbortSignal
}

/** Headers of the handshake that are not of the request. */
const HANDSHAKE_HEADERS = /^(sec-websocket-.*|upgrade|connection|content-.*|transfer-encoding|host)$/

/**
 * Requests a response and sends its events as frames, at the client's pace. Resolves when it is charged. Undefined when it
 * has failed.
 */
export async function runTurn(body: JsonObject, parts: TurnParts): Promise<TurnResult | undefined> {
  const { respond, url, headers, signal, socket, clientIp } = parts
  const request = new Request(url, { method: 'POST', headers: toRequestHeaders(headers), signal })
  const text = JSON.stringify(body)
  const turn = new DetachedConnection({ requestId: newRequestId(), url, clientIp, text })
  const response = await respond(request, turn)
  if (response.body && response.headers.get('content-type')?.includes('event-stream'))
    return sendEvents(response.body, socket, signal)
  const json = asObject(parseJson(await response.text()))
  socket.send(JSON.stringify({ type: 'error', status: response.status, ...json }))
  return undefined
}

function toRequestHeaders(handshake: Headers): Headers {
  const headers = new Headers()
  for (const [name, value] of handshake) if (!HANDSHAKE_HEADERS.test(name)) headers.set(name, value)
  return headers
}

const FINAL_EVENTS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

async function sendEvents(
  body: ReadableStream<Uint8Array>,
  socket: ClientSocket,
  signal: AbortSignal,
): Promise<TurnResult | undefined> {
  const framer = createFramer('sse')
  const reader = body.getReader()
  let lastData = ''
  for (let isDone = false; !isDone; ) {
    // Resolves when the usage is charged.
    if (signal.aborted) return reader.cancel().then(() => undefined)
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

function readResult(lastData: string): TurnResult | undefined {
  const { type, response } = asObject(parseJson(lastData))
  return FINAL_EVENTS.has(type) && isObject(response) ? { response } : undefined
}

/** The end of a stream, which is no event. */
const DONE = '[DONE]'

/**
 * Prepares the connection for a request: responds at once, calls no provider and costs nothing. The next turn refers to the
 * response and inherits its input.
 */
export function warmUp(
  body: JsonObject,
  { client, language }: Pick<ResponseSocketContext, 'client' | 'language'>,
  socket: ClientSocket,
): TurnResult | undefined {
  const model = asString(body.model)
  const requestId = newRequestId()
  if (!model) {
    const error = new GatewayError('model_required', { zh: '请求缺少 model', en: 'the request has no model' })
    const json = client.writeError(inLanguage(toClientError(error), language), requestId)
    socket.send(JSON.stringify({ type: 'error', status: error.status, ...json }))
    return undefined
  }
  const { input: _, ...echoedFields } = body
  const writer = client.chat.createWriter({
    requestId,
    model,
    nowSeconds: nowSeconds(),
    wantsUsage: true,
    inputTokens: 0,
    urlParams: {},
    echoedFields: { ...echoedFields, store: false },
  })
  const framer = createFramer('sse')
  const events = framer.push(new TextEncoder().encode(writer.write({ type: 'start' }) + writer.end(NO_USAGE)))
  for (const { data } of events) socket.send(data)
  return { response: asObject(asObject(parseJson(events.at(-1)?.data ?? '')).response) }
}

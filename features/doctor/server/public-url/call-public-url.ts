import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { elapsedMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { KIB } from '#server/core/limits.ts'

const TIMEOUT_MS = 60_000
const TEXT_CHARS_MAX = 64 * KIB

/** A response as it arrived through whatever stands before the gateway. */
export interface PublicResponse {
  /** 0 without a response. */
  readonly status: number
  readonly httpVersion: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** When each piece of the body arrived, in milliseconds after the headers. */
  readonly arrivalsMs: readonly number[]
  readonly failure: string | undefined
}

interface PublicRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

const NO_RESPONSE = { status: 0, httpVersion: '', headers: {}, text: '', arrivalsMs: [] }

/** Asks a public address, keeping what a client's library would hide: pieces, versions and broken connections. */
export async function callPublicUrl(
  url: URL,
  { method, headers, body }: PublicRequest,
): Promise<PublicResponse> {
  const { promise, resolve } = Promise.withResolvers<PublicResponse>()
  const isHttps = url.protocol === 'https:'
  const agent = isHttps ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const fail = (cause: unknown) => resolve({ ...NO_RESPONSE, failure: errorMessage(cause) })
  const call = (isHttps ? requestHttps : requestHttp)(url, { method, agent, headers, timeout: TIMEOUT_MS })
  call.on('response', response => readReply(response).then(resolve, fail))
  call.on('timeout', () => call.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)))
  call.on('error', fail)
  call.end(body)
  const reply = await promise
  agent.destroy()
  return reply
}

async function readReply(response: IncomingMessage): Promise<PublicResponse> {
  const { statusCode = 0, httpVersion, headers } = response
  const beginning = elapsedMs()
  const arrivalsMs: number[] = []
  let text = ''
  response.setEncoding('utf8')
  for await (const piece of response) {
    arrivalsMs.push(elapsedMs() - beginning)
    text = (text + String(piece)).slice(0, TEXT_CHARS_MAX)
  }
  return { status: statusCode, httpVersion, headers, text, arrivalsMs, failure: undefined }
}

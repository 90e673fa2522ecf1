import { GatewayError } from '../core/errors.ts'
import type { BothLanguages } from '../core/language.ts'
import { KIB, MIB } from '../core/limits.ts'
import { checkJsonLimits } from '../provider-kit/json.ts'
import {
  type HttpResponse,
  ResponseStalledError,
  ResponsesTooLargeError,
  ResponseTooLargeError,
} from './http1/http-response.ts'

/** Timeouts for each phase of an upstream call, in milliseconds. */
export interface RelayTimeouts {
  /** Until the headers of a JSON response, which come when the model has finished. */
  readonly jsonHeadersMs: number
  /** From there to the last byte of its body. */
  readonly jsonBodyMs: number
  /** Until the headers of a stream. */
  readonly streamHeadersMs: number
  /** Until the first event of a stream: models may think before they respond. */
  readonly firstEventMs: number
  /** Between two chunks of a stream, keep-alives included. */
  readonly idleMs: number
  /** Between two pieces of output, keep-alives excluded. */
  readonly noOutputMs: number
  /** The limit for a complete stream. */
  readonly streamMs: number
}

export const RELAY_TIMEOUTS: RelayTimeouts = {
  jsonHeadersMs: 600_000,
  jsonBodyMs: 600_000,
  streamHeadersMs: 120_000,
  firstEventMs: 300_000,
  idleMs: 60_000,
  noOutputMs: 600_000,
  streamMs: 7_200_000,
}

/** The largest response that is read into memory at once. Images come as base64 inside JSON. */
export const RESPONSE_BYTES_MAX = 128 * MIB

/** The part that is kept of a body with an error status, where the status says what counts. */
const ERROR_BYTES_MAX = 64 * KIB
/** A body with an error status that takes longer is used as far as it has arrived. */
const ERROR_BODY_MS = 10_000

const utf8 = new TextDecoder()

/**
 * Reads a complete body as text, or the beginning of one with an error status. Throws GatewayError when a body is too large,
 * breaks, or does not end in time, and as `checkJsonLimits`; the call is cancelled then.
 */
export async function readResponseText(
  received: { readonly response: HttpResponse },
  timeoutMs: number,
  elementsMax?: number,
): Promise<string> {
  const { response } = received
  const text =
    response.bufferedText(response.ok ? RESPONSE_BYTES_MAX : ERROR_BYTES_MAX) ??
    utf8.decode(
      response.ok
        ? await readResponseBytes(received, timeoutMs)
        : await readStart(response, Math.min(timeoutMs, ERROR_BODY_MS)),
    )
  checkJsonLimits(text, elementsMax)
  return text
}

/** The beginning of a body, whether or not the rest arrives. Ends the call. */
async function readStart(response: HttpResponse, timeoutMs: number): Promise<Uint8Array> {
  const timer = setTimeout(() => response.cancel(new BodyTimeout()), timeoutMs)
  const chunks: Uint8Array[] = []
  let size = 0
  const next = () => response.next().catch(() => undefined)
  for (let chunk = await next(); chunk && size < ERROR_BYTES_MAX; chunk = await next()) {
    chunks.push(chunk)
    size += chunk.byteLength
  }
  clearTimeout(timer)
  response.cancel()
  return Buffer.concat(chunks).subarray(0, ERROR_BYTES_MAX)
}

/** Like `readResponseText`, for binary bodies. */
export async function readResponseBytes(
  { response }: { readonly response: HttpResponse },
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const timer = setTimeout(() => response.cancel(new BodyTimeout()), timeoutMs)
  try {
    return await response.readAll(RESPONSE_BYTES_MAX)
  } catch (cause) {
    response.cancel()
    throw unreadableBody(cause, timeoutMs)
  } finally {
    clearTimeout(timer)
  }
}

class BodyTimeout extends Error {}

function unreadableBody(cause: unknown, timeoutMs: number): GatewayError {
  if (cause instanceof BodyTimeout)
    return new GatewayError('upstream_timeout', {
      zh: `上游未在 ${inSeconds(timeoutMs)} 内完成响应`,
      en: `the upstream did not finish its response within ${inSeconds(timeoutMs)}`,
    })
  if (cause instanceof ResponseTooLargeError) return responseTooLarge()
  if (cause instanceof ResponsesTooLargeError)
    return new GatewayError('server_busy', {
      zh: '网关正在读取过多的大型响应，请稍后重试',
      en: 'the gateway is reading too many large responses; try again later',
    })
  return interrupted({ zh: '响应', en: 'response' }, cause)
}

function interrupted({ zh, en }: BothLanguages, cause: unknown): GatewayError {
  const reason = networkReason(cause)
  const text = { zh: `上游的${zh}中断（${reason}）`, en: `the upstream's ${en} was interrupted (${reason})` }
  return new GatewayError('upstream_bad_answer', text, { cause })
}

export const responseTooLarge = (): GatewayError =>
  new GatewayError('upstream_bad_answer', {
    zh: `上游响应超过 ${RESPONSE_BYTES_MAX / MIB} MiB`,
    en: `the upstream's response is larger than ${RESPONSE_BYTES_MAX / MIB} MiB`,
  })

/** The error for a stream that ended early. */
export function brokenStream(cause: unknown): GatewayError {
  if (cause instanceof ResponseStalledError)
    return new GatewayError('upstream_timeout', {
      zh: `上游在 ${inSeconds(cause.afterMs)} 内没有发送任何数据`,
      en: `the upstream sent nothing for ${inSeconds(cause.afterMs)}`,
    })
  return interrupted({ zh: '流式响应', en: 'stream' }, cause)
}

/** The error for a stream that exceeds the limit of all streams. */
export const endlessStream = (streamMs: number): GatewayError =>
  new GatewayError('upstream_timeout', {
    zh: `上游未在 ${inSeconds(streamMs)} 内结束流式响应`,
    en: `the upstream did not end its stream within ${inSeconds(streamMs)}`,
  })

export const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

/** The system's error code (ECONNREFUSED …). Error messages may contain addresses or internals, so they are not shown. */
export const networkReason = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'network failure'

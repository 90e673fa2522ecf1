import type { CancelSignal } from '../../core/cancel-signal.ts'
import { elapsedMs, sleepMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type RelayTimeouts, readResponseText } from '../../http-client/read-response.ts'
import { connectionOwner, type Send } from '../../http-client/send.ts'
import type { NextPoll } from '../../provider-kit/contract/operation-adapter.ts'
import { type Failure, readAdapterFailure } from '../../provider-kit/failures.ts'
import { parseJson } from '../../provider-kit/json.ts'
import type { PreparedCall } from './prepare-call.ts'

/** Consecutive polls that may fail, since the provider keeps working meanwhile. */
const FAILURES_MAX = 3
const SERVER_ERROR_STATUS_MIN = 500

type PollResult =
  | { readonly kind: 'response'; readonly response: unknown }
  | { readonly kind: 'failure'; readonly failure: Failure }

interface PollDeps {
  readonly send: Send
  readonly timeouts: RelayTimeouts
}

/**
 * Polls a provider that works asynchronously and returns its last response, parsed from JSON. Throws GatewayError
 * `upstream_timeout` when it takes too long and `client_closed_request` when the client disconnects.
 */
export async function pollUntilDone(
  first: unknown,
  prepared: PreparedCall,
  deps: PollDeps,
  signal: CancelSignal,
): Promise<PollResult> {
  const deadlineMs = elapsedMs() + deps.timeouts.jsonHeadersMs
  let failures = 0
  let result: PollResult = { kind: 'response', response: first }
  let nextPoll = prepared.adapter.nextPoll?.(first, prepared.call)
  while (nextPoll) {
    await waitForNextPoll(nextPoll, deadlineMs, signal)
    result = await poll(nextPoll, prepared, deps, signal)
    const isServerError = result.kind === 'failure' && result.failure.status >= SERVER_ERROR_STATUS_MIN
    failures = isServerError ? failures + 1 : 0
    if (result.kind === 'response') nextPoll = prepared.adapter.nextPoll?.(result.response, prepared.call)
    else if (failures === 0 || failures === FAILURES_MAX) return result
  }
  return result
}

async function waitForNextPoll(
  { afterMs }: NextPoll,
  deadlineMs: number,
  signal: CancelSignal,
): Promise<void> {
  if (elapsedMs() >= deadlineMs)
    throw new GatewayError('upstream_timeout', {
      zh: '上游未在限定时间内完成',
      en: 'the upstream did not finish in time',
    })
  await sleepMs(afterMs)
  if (signal.aborted)
    throw new GatewayError('client_closed_request', { zh: '客户端已断开连接', en: 'the client disconnected' })
}

async function poll(
  { request }: NextPoll,
  { adapter, channel }: PreparedCall,
  { send, timeouts }: PollDeps,
  signal: CancelSignal,
): Promise<PollResult> {
  const result = await send(request, {
    signal,
    headersTimeoutMs: timeouts.streamHeadersMs,
    proxy: channel.view.setting.proxy,
    owner: connectionOwner(channel.view),
  })
  if (result.kind === 'failure') return result
  const text = await readResponseText(result, timeouts.jsonBodyMs)
  const { status, headers, ok } = result.response
  return ok
    ? { kind: 'response', response: parseJson(text) }
    : { kind: 'failure', failure: readAdapterFailure(adapter, status, text, headers) }
}

import { elapsedMs, sleepMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { NextPoll } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { readAdapterFailure } from '../../provider-kit/read-failure.ts'
import type { RelayContext } from '../relay-context.ts'
import type { Adapted } from './prepare-call.ts'
import { readAnswerText, type Waiter } from './send.ts'

/** Times in a row that the vendor may fail to say how far it is: its work goes on meanwhile. */
const FAILURES_MAX = 3
const LEAST_SERVER_ERROR = 500

export type Asked =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly failure: Failure }

/**
 * Asks a vendor that works on its own until it is done; gives its last answer. Throws GatewayError `upstream_timeout`
 * when it takes too long and `client_closed_request` when nobody waits any more.
 */
export async function followUnfinished(
  first: unknown,
  adapted: Adapted,
  gateway: Pick<RelayContext, 'send' | 'timeouts'>,
  waiter: Waiter,
): Promise<Asked> {
  const untilMs = elapsedMs() + gateway.timeouts.wholeHeadersMs
  let failures = 0
  let asked: Asked = { kind: 'answer', answer: first }
  let next = adapted.exchange.nextPoll?.(first, adapted.call)
  while (next) {
    await wait(next, untilMs, waiter)
    asked = await ask(next, adapted, gateway, waiter)
    failures = asked.kind === 'failure' && asked.failure.status >= LEAST_SERVER_ERROR ? failures + 1 : 0
    if (asked.kind === 'answer') next = adapted.exchange.nextPoll?.(asked.answer, adapted.call)
    else if (failures === 0 || failures === FAILURES_MAX) return asked
  }
  return asked
}

async function wait({ afterMs }: NextPoll, untilMs: number, { signal }: Waiter): Promise<void> {
  if (elapsedMs() >= untilMs)
    throw new GatewayError('upstream_timeout', 'the upstream did not finish in time')
  await sleepMs(afterMs)
  if (signal.aborted) throw new GatewayError('client_closed_request', 'the client left')
}

async function ask(
  { request }: NextPoll,
  { exchange, channel }: Adapted,
  { send, timeouts }: Pick<RelayContext, 'send' | 'timeouts'>,
  waiter: Waiter,
): Promise<Asked> {
  const { proxy } = channel.view.setting
  const sent = await send(request, { waiter, headersTimeoutMs: timeouts.streamHeadersMs, proxy })
  if (sent.kind === 'failure') return sent
  const text = await readAnswerText(sent, timeouts.wholeBodyMs)
  const { status, headers, ok } = sent.response
  return ok
    ? { kind: 'answer', answer: parseJson(text) }
    : { kind: 'failure', failure: readAdapterFailure(exchange, status, text, headers) }
}

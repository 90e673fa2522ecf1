import { elapsedMs } from '../kernel/clock.ts'
import { GatewayError } from '../kernel/errors.ts'
import type { Credential } from '../provider-kit/exchange.ts'
import type { Failure } from '../provider-kit/failure.ts'
import { type Adapted, adapt } from './adapt.ts'
import { disableWhenDead } from './dead-channel.ts'
import type { Gateway } from './gateway.ts'
import type { Order } from './order.ts'
import { isWorthRetrying } from './retry.ts'
import type { RoutedChannel } from './routed-channel.ts'
import { type Answer, tryChannel } from './try-channel.ts'

/** One try of one channel, for the receipt. */
export interface AttemptTrace {
  readonly channelId: number
  readonly channelName: string
  /** Of the answer, or what the failure means; 0 when the vendor was not asked. */
  readonly status: number
  readonly ms: number
  readonly code?: string
}

export interface Answered {
  readonly adapted: Adapted
  readonly answer: Answer
  readonly attempts: readonly AttemptTrace[]
}

/** No channel answered. Holds the last failure and every try. */
export class AttemptsFailed extends Error {
  override readonly name = 'AttemptsFailed'
  readonly failure: Failure
  readonly attempts: readonly AttemptTrace[]

  constructor(failure: Failure, attempts: readonly AttemptTrace[]) {
    super(failure.message)
    this.failure = failure
    this.attempts = attempts
  }
}

const STATUS_OK = 200
const STATUS_UNAUTHENTICATED = 401
const NOT_ASKED = 0

/**
 * Tries one channel after the other until an answer has begun. A channel that cannot do what is asked is passed
 * over and costs no try. Throws AttemptsFailed with the last failure.
 */
export async function attempt(
  order: Order,
  trial: readonly RoutedChannel[],
  gateway: Gateway,
  signal: AbortSignal,
): Promise<Answered> {
  const attempts: AttemptTrace[] = []
  let triesLeft = 1 + gateway.settings.current().retryTimes
  let last: Failure = unsupported(order)
  for (const channel of trial) {
    const adapted = await prepare(order, channel, gateway, attempts)
    if (!adapted) continue
    if (adapted instanceof GatewayError) {
      last = adapted
      continue
    }
    const startedMs = elapsedMs()
    const tried = await tryChannel(order, adapted, gateway, signal)
    const trace = {
      channelId: channel.id,
      channelName: channel.name,
      ms: Math.round(elapsedMs() - startedMs),
    }
    if (tried.kind !== 'failure')
      return { adapted, answer: tried, attempts: [...attempts, { ...trace, status: STATUS_OK }] }
    last = tried.failure
    attempts.push({ ...trace, status: last.status, code: last.code })
    if (signal.aborted) break
    await learnFrom(channel, last, gateway)
    triesLeft -= 1
    if (triesLeft === 0 || !isWorthRetrying(last)) break
  }
  throw new AttemptsFailed(last, attempts)
}

/** With a credential where the vendor wants one. */
async function prepare(
  order: Order,
  channel: RoutedChannel,
  gateway: Gateway,
  attempts: AttemptTrace[],
): Promise<Adapted | GatewayError | undefined> {
  if (!channel.provider.credential) return adaptOrSkip(order, channel, undefined, attempts)
  const credential = await gateway.credentials.of(channel)
  if (credential instanceof GatewayError) await disableWhenDead(channel, refusedKey(credential), gateway)
  return adaptOrSkip(order, channel, credential, attempts)
}

async function learnFrom(channel: RoutedChannel, failure: Failure, gateway: Gateway): Promise<void> {
  if (failure.status === STATUS_UNAUTHENTICATED) gateway.credentials.forget(channel.id)
  await disableWhenDead(channel, failure, gateway)
}

function adaptOrSkip(
  order: Order,
  channel: RoutedChannel,
  credential: Credential | GatewayError | undefined,
  attempts: AttemptTrace[],
): Adapted | GatewayError | undefined {
  try {
    if (credential instanceof GatewayError) throw credential
    return adapt(order, channel, credential)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    attempts.push({
      channelId: channel.id,
      channelName: channel.name,
      status: NOT_ASKED,
      ms: 0,
      code: error.code,
    })
    return error
  }
}

/** The key could not be traded for a credential; the channel is at fault only where the vendor refused the key itself. */
const refusedKey = ({ status, code, message }: GatewayError): Failure => ({
  status,
  code,
  message,
  isKeyDead: status === STATUS_UNAUTHENTICATED,
})

const unsupported = ({ operation, model }: Order): Failure => ({
  status: 503,
  code: 'no_available_channel',
  message: `no channel that serves ${model} can do ${operation.name}`,
})

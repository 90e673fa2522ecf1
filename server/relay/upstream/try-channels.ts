import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import type { RelayContext } from '../relay-context.ts'
import type { RelayRequest } from '../request/relay-request.ts'
import { type ChannelInUse, disableWhenDead, refusesKey } from '../routing/auto-disable.ts'
import type { CallEnd, Visit } from '../routing/channel-health.ts'
import { verdictOn } from '../routing/retry-policy.ts'
import { asOfNow, type Trial } from '../routing/route.ts'
import type { RoutedChannel } from '../routing/routed-channel.ts'
import type { CallKind } from '../routing/stall-detector.ts'
import { newSpanId, writeTraceparent } from '../telemetry/trace-context.ts'
import { type AskedVendor, AttemptsFailed, type AttemptTrace, type RouteTrace } from './attempts.ts'
import { type Answer, type Tried, tryChannel } from './call-channel.ts'
import { type ChatPictures, openChatPictures } from './inline-images.ts'
import { type Adapted, type Answering, adapt, wantsPicturesEmbedded } from './prepare-call.ts'
import { openProviderIo } from './provider-io.ts'
import { withoutKey } from './redact-key.ts'
import type { Waiter } from './send.ts'

export interface Answered {
  readonly adapted: Answering
  readonly answer: Answer
  readonly trace: RouteTrace
  /** To be ended when the answer has ended. */
  readonly visit: Visit
}

const STATUS_OK = 200
const STATUS_UNAUTHENTICATED = 401
const STATUS_SATURATED = 429
const LEAST_FAULT_OF_CHANNEL = 500
const NOT_ASKED = 0

/**
 * Tries one channel after the other until an answer has begun; what follows a failure is the verdict's to say. Another
 * key and another try of the same channel cost nothing of RetryTimes. A channel that cannot do what is asked is passed
 * over. Throws AttemptsFailed with the last failure.
 */
export async function attempt(
  order: RelayRequest,
  decided: Trial,
  gateway: RelayContext,
  waiter: Waiter,
): Promise<Answered> {
  const trial = asOfNow(decided, gateway.health)
  const tries = new Tries(order, gateway, waiter)
  for (const channel of trial.channels) {
    const answered = tries.mayAsk(channel) && (await tries.ask(channel))
    if (answered) return { ...answered, trace: { candidates: trial.candidates, attempts: tries.traces } }
  }
  throw new AttemptsFailed(tries.last ?? unsupported(order), {
    candidates: trial.candidates,
    attempts: tries.traces,
  })
}

type Begun = Omit<Answered, 'trace'>

const answering = ({ channel, upstreamModel, exchange }: Adapted): Answering => ({
  channel,
  upstreamModel,
  exchange,
})

/** The tries of one request so far, and whom it may still ask. */
class Tries {
  private readonly order: RelayRequest
  private readonly gateway: RelayContext
  private readonly waiter: Waiter
  private pictures: ChatPictures | undefined
  private readonly kind: CallKind
  readonly traces: AttemptTrace[] = []
  last: Failure | undefined
  private channelsLeft: number
  private lastChannelId: number | undefined
  /** No other key of it will do better. */
  private givenUpId: number | undefined
  private isOver = false
  /** Channels whose vendor has no address for the client's own dialect. */
  private readonly withoutNative: number[] = []
  private hasReconnected = false

  constructor(order: RelayRequest, gateway: RelayContext, waiter: Waiter) {
    this.order = order
    this.gateway = gateway
    this.waiter = waiter
    this.kind = order.isStream || order.operation.isConversation ? 'stream' : 'whole'
    this.channelsLeft = 1 + gateway.settings.current().retryTimes
  }

  mayAsk({ id }: RoutedChannel): boolean {
    if (this.isOver || id === this.givenUpId) return false
    return id === this.lastChannelId || this.channelsLeft > 0
  }

  async ask(channel: RoutedChannel): Promise<Begun | undefined> {
    const visit = this.gateway.health.visit(channel)
    if (typeof visit === 'string') return this.skip(channel, atLimit(visit))
    const { order, gateway, waiter } = this
    let isAnswered = false
    try {
      const prepared = this.prepare(channel)
      const adapted = prepared instanceof Promise ? await prepared : prepared
      if (!adapted) return undefined
      const asked = this.askedOf(channel, adapted)
      visit.ask(this.kind, asked.startedMs)
      const tried = await tryChannel(order, this.traced(adapted, asked), gateway, { waiter, visit })
      this.note(channel, asked, tried)
      if (tried.kind !== 'failure') {
        isAnswered = true
        visit.answer()
        return { adapted: answering(adapted), answer: tried, visit }
      }
      visit.end(waiter.signal.aborted ? 'no verdict' : endOf(tried.failure))
      return await this.goOn(channel, tried.failure, adapted)
    } finally {
      if (!isAnswered) visit.end('no verdict')
    }
  }

  private note({ id: channelId, name: channelName }: RoutedChannel, asked: AskedVendor, tried: Tried): void {
    const ms = Math.round(elapsedMs() - asked.startedMs)
    if (tried.kind === 'failure') {
      const { status, code } = tried.failure
      this.traces.push({ channelId, channelName, ms, asked, status, code })
    } else this.traces.push({ channelId, channelName, ms, asked, status: STATUS_OK })
  }

  private askedOf({ provider }: RoutedChannel, { upstreamModel }: Adapted): AskedVendor {
    const spanId = this.order.traceContext && newSpanId()
    return { provider, model: upstreamModel, startedMs: elapsedMs(), spanId }
  }

  /** With the trace in its headers, where vendors are told of it. */
  private traced(adapted: Adapted, { spanId }: AskedVendor): Adapted {
    const { traceContext } = this.order
    if (!traceContext || !spanId || !this.gateway.tracing?.isPassedOn) return adapted
    const { request } = adapted
    const headers = { ...request.headers, traceparent: writeTraceparent(traceContext, spanId) }
    return { ...adapted, request: { ...request, headers } }
  }

  /** What follows a failure. */
  private async goOn(
    channel: RoutedChannel,
    failure: Failure,
    { hasOtherWay }: Adapted,
  ): Promise<Begun | undefined> {
    this.count(channel, failure)
    if (this.waiter.signal.aborted) return this.stop()
    if (hasOtherWay && isUnknownAddress(failure)) {
      this.withoutNative.push(channel.id)
      return this.ask(channel)
    }
    await learnFrom(this.inUse(channel), failure, this.gateway)
    const verdict = verdictOn(failure)
    if (verdict === 'answer') return this.stop()
    if (verdict === 'same channel' && !this.hasReconnected) {
      this.hasReconnected = true
      return this.ask(channel)
    }
    if (verdict !== 'next key') this.givenUpId = channel.id
    return undefined
  }

  private count({ id }: RoutedChannel, failure: Failure): void {
    if (id !== this.lastChannelId) this.channelsLeft -= 1
    this.lastChannelId = id
    this.last = failure
  }

  private stop(): undefined {
    this.isOver = true
  }

  /** Undefined: it was passed over, which costs no try. At once, unless something is to be asked for first. */
  private prepare(channel: RoutedChannel): Adapted | undefined | Promise<Adapted | undefined> {
    const order = this.orderFor(channel)
    if (wantsMore(order, channel)) return this.prepareFirst(order, channel)
    try {
      return adapt(order, channel)
    } catch (error) {
      return this.skipFor(error, channel)
    }
  }

  private async prepareFirst(asked: RelayRequest, channel: RoutedChannel): Promise<Adapted | undefined> {
    try {
      const credential = channel.provider.credential && (await this.gateway.credentials.of(channel))
      if (credential instanceof GatewayError) {
        await learnFrom(
          this.inUse(channel),
          withoutKey(refusedKey(credential), channel.view.key),
          this.gateway,
        )
        return this.skip(channel, credential)
      }
      const order = wantsPicturesEmbedded(asked, channel) ? await this.withPictures(asked) : asked
      return adapt(await readied(order, channel, this.gateway), channel, credential)
    } catch (error) {
      return this.skipFor(error, channel)
    }
  }

  private async withPictures(order: RelayRequest): Promise<RelayRequest> {
    this.pictures ??= openChatPictures(this.order, this.gateway.egress)
    return { ...order, body: (await this.pictures.embedded()).body }
  }

  private orderFor({ id }: RoutedChannel): RelayRequest {
    return this.withoutNative.includes(id) ? { ...this.order, avoidsNative: true } : this.order
  }

  private inUse(channel: RoutedChannel): ChannelInUse {
    const { requestId, clientBody } = this.order
    return { channel, requestId, sent }
  }

  /** Throws what is no reason to pass a channel over. */
  private skipFor(error: unknown, channel: RoutedChannel): undefined {
    if (!(error instanceof GatewayError)) throw error
    return this.skip(channel, error)
  }

  /** What a vendor that was asked said stays the last word. */
  private skip({ id, name, view }: RoutedChannel, why: GatewayError): undefined {
    const { status, code, message, retryAfterSeconds } = why
    if (this.lastChannelId === undefined)
      this.last = withoutKey({ status, code, message, retryAfterSeconds }, view.key)
    this.traces.push({ channelId: id, channelName: name, status: NOT_ASKED, ms: 0, code: why.code })
  }
}

/** Whether a key, pictures or the vendor itself are to be asked for before the channel can be. */
const wantsMore = (order: RelayRequest, channel: RoutedChannel): boolean =>
  channel.provider.credential !== undefined ||
  order.operation.findAdapter(channel.provider)?.prepare !== undefined ||
  wantsPicturesEmbedded(order, channel)

/** The order with the body that this vendor is asked with, after what it wants to be asked first. */
async function readied(order: RelayRequest, { provider, view }: RoutedChannel, { send }: RelayContext): Promise<RelayRequest> {
  const exchange = order.operation.findAdapter(provider)
  const asked = { channel: view, body: order.body, requestId: order.requestId }
  const body = await exchange?.prepare?.(asked, openProviderIo(view, send))
  return body ? { ...order, body } : order
}

const ADDRESS_UNKNOWN: ReadonlySet<number> = new Set([404, 405, 501])

/** A server that follows the vendor's chat need not have its newer addresses. */
const isUnknownAddress = ({ status, code }: Failure): boolean =>
  ADDRESS_UNKNOWN.has(status) && code !== 'model_not_found'

/** What a failure says of a key and its channel. */
export async function learnFrom(inUse: ChannelInUse, failure: Failure, gateway: RelayContext): Promise<void> {
  const { channel } = inUse
  if (failure.status === STATUS_UNAUTHENTICATED) gateway.credentials.forget(channel)
  const isKeyDead = refusesKey(inUse, failure, gateway.settings.current())
  gateway.health.learn(channel, { ...failure, isKeyRevoked })
  if (gateway.health.hasOtherKey(channel)) return
  await disableWhenDead(inUse, failure, gateway)
}

/** Whether the channel is to blame. A refused or spent key is the key's affair, a bad request the client's. */
export const endOf = ({ status }: Failure): CallEnd => {
  if (status >= LEAST_FAULT_OF_CHANNEL) return 'bad'
  return status === STATUS_SATURATED ? 'no verdict' : 'good'
}

/** The key could not be traded for a credential; the channel is at fault only where the vendor refused the key itself. */
export const refusedKey = ({ status, code, message }: GatewayError): Failure => ({
  status,
  code,
  message,
  isKeyRevoked: status === STATUS_UNAUTHENTICATED,
})

const atLimit = (limit: string): GatewayError =>
  new GatewayError('too_many_requests', `the channel is at its ${limit}`)

const unsupported = ({ operation, model }: RelayRequest): Failure => ({
  status: 503,
  code: 'no_available_channel',
  message: `no channel that serves ${model} can do ${operation.name}`,
})

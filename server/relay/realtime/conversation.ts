import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type BothLanguages, inLanguage, sameInBoth } from '../../core/language.ts'
import { completionTokens, hasExtras, NO_USAGE, promptTokens } from '../../core/usage.ts'
import type { UpstreamSocket, WebSocketFrame } from '../../http-client/websocket.ts'
import {
  acceptProtocol,
  createRealtimeMeter,
  parseEvent,
} from '../../provider-kit/openai-realtime/realtime.ts'
import type { HoldExtender } from '../billing/hold.ts'
import { checkUsage, type UsageBound } from '../billing/usage-to-charge.ts'
import type { RelayHooks } from '../hooks.ts'
import type { ClientConnection, ClientSocket, SocketListener } from '../request/client-connection.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { toClientError } from '../routing/attempts.ts'
import type { ActiveRequest, Outcome, ResponseEnding } from '../types.ts'

export interface ConversationParts {
  readonly request: ActiveRequest
  readonly upstream: UpstreamSocket
  readonly holdExtender: HoldExtender
  readonly client: ClientPresence
  readonly hooks: Pick<RelayHooks, 'inspectRequest'>
  /** Throws GatewayError for an event that the policies do not let through. */
  readonly judge: (event: unknown) => void
  /** Throws GatewayError for a frame beyond the caller's share of time or memory. */
  readonly admitFrame: (bytes: number) => void
  /** Makes the charge durable. Called exactly once, however the conversation ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

/** Ends a response early; the provider then reports what it has used. */
const CANCEL_RESPONSE = JSON.stringify({ type: 'response.cancel' })

const CLOSE_NORMAL = 1000
const CLOSE_POLICY_VIOLATION = 1008
const CLOSE_INTERNAL_ERROR = 1011
const QUOTA_SPENT = new GatewayError('insufficient_user_quota', {
  zh: '会话期间额度已用尽',
  en: 'the quota ran out during the conversation',
})

/** Upgrades the client's connection and connects it to the upstream's socket. The end of either one closes the hold. */
export function startConversation(
  parts: ConversationParts,
  headers: Headers,
  connection: ClientConnection,
): Response {
  const upgraded = connection.switchToSocket(new Conversation(parts, acceptProtocol(headers)))
  if (upgraded) return upgraded
  parts.upstream.close()
  throw new GatewayError('invalid_request', {
    zh: '无法将连接升级为 WebSocket',
    en: 'the connection could not be upgraded to a WebSocket',
  })
}

/** Far above the context and the output of one response. */
const RESPONSE_BOUND: UsageBound = { inputTokens: 1_000_000, outputTokens: 100_000 }

/** Passes frames in both directions unchanged and in order, and delivers nothing that the hold does not cover. */
export class Conversation implements SocketListener {
  readonly protocol: string | undefined
  private readonly parts: ConversationParts
  private readonly meter = createRealtimeMeter(usage => checkUsage(usage, RESPONSE_BOUND))
  private client: ClientSocket | undefined
  private queue: Promise<void> = Promise.resolve()
  private deliveredUsage = NO_USAGE
  private firstOutputMs: number | undefined
  private leaving: Promise<void> | undefined
  /** Called when no response is open any more. */
  private onResponseOver: () => void = () => undefined
  private closing: Promise<void> | undefined

  constructor(parts: ConversationParts, protocol?: string) {
    this.parts = parts
    this.protocol = protocol
  }

  onOpen(client: ClientSocket): void {
    this.client = client
    this.parts.client.whenRevoked(reason => {
      this.sendError(reason)
      void this.enqueue(() => this.end('access-ended'))
    })
    this.parts.upstream.listen({
      onFrame: frame => {
        const isUnread = this.parts.client.hasLeft
        void this.enqueue(() => (isUnread ? this.skip(frame) : this.deliver(frame)))
      },
      onClose: isGood => void this.enqueue(() => this.end(this.endingOf(isGood))),
    })
  }

  onMessage(frame: WebSocketFrame): void {
    if (this.closing) return
    const problem = this.findProblem(frame)
    if (problem) {
      this.sendError(problem)
      return
    }
    this.meter.fromClient(frame)
    this.parts.upstream.send(frame)
  }

  /** An event with a problem is not passed on; the conversation goes on without it. */
  private findProblem(frame: WebSocketFrame): GatewayError | undefined {
    try {
      this.parts.admitFrame(frame.length)
      const event = parseEvent(frame)
      this.parts.judge(event)
      this.parts.hooks.inspectRequest?.inspectEvent(event, this.parts.request)
      return undefined
    } catch (error) {
      if (error instanceof GatewayError) return error
      throw error
    }
  }

  onClose(): Promise<void> {
    this.leaving ??= this.leave()
    return this.leaving
  }

  private async leave(): Promise<void> {
    const { client, upstream } = this.parts
    client.leave()
    await this.queue
    if (!this.closing && this.meter.hasOpenResponse() && !client.upstreamSignal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.onResponseOver = resolve
      client.upstreamSignal.addEventListener('abort', () => resolve())
      upstream.send(CANCEL_RESPONSE)
      await promise
    }
    await this.enqueue(() => this.end('client-left'))
  }

  /** Keeps the order of frames while the hold is being extended. The ledger logs its own failures. */
  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch(() => this.client?.close(CLOSE_INTERNAL_ERROR, 'internal error'))
    return this.queue
  }

  private async deliver(frame: WebSocketFrame): Promise<void> {
    if (this.closing) return
    this.meter.fromUpstream(frame)
    const usage = this.meter.usage()
    if (!(await this.parts.holdExtender.extendToUsage(usage))) return this.endForQuota()
    this.deliveredUsage = usage
    if (completionTokens(usage) > 0) this.firstOutputMs ??= elapsedMs() - this.parts.request.startedMs
    this.client?.send(frame)
  }

  private async skip(frame: WebSocketFrame): Promise<void> {
    this.meter.fromUpstream(frame)
    this.parts.client.countUnread(frame.length)
    if (!this.meter.hasOpenResponse()) this.onResponseOver()
  }

  private async endForQuota(): Promise<void> {
    this.sendError(QUOTA_SPENT)
    await this.end('quota-spent')
  }

  private sendError(error: GatewayError): void {
    const { client, requestId, language } = this.parts.request
    const json = client.writeError(inLanguage(toClientError(error), language), requestId)
    const event = { event_id: `evt_${requestId}`, type: 'error', ...json }
    this.client?.send(JSON.stringify(event))
  }

  private endingOf(isGoodClose: boolean): ResponseEnding {
    if (this.parts.client.hasLeft) return 'client-left'
    return isGoodClose ? 'complete' : 'upstream-broke'
  }

  private async end(ending: ResponseEnding): Promise<void> {
    this.closing ??= this.charge(ending)
    this.onResponseOver()
    try {
      await this.closing
    } finally {
      this.parts.upstream.close()
    }
    const [code, reason] = CLOSE_FRAMES[ending]
    this.client?.close(code, reason[this.parts.request.language])
  }

  /**
   * A conversation that the client ends is complete, unless it had no output. Withheld output is not charged; the
   * provider's figures are, since they belong to a response that was delivered.
   */
  private charge(ending: ResponseEnding): Promise<void> {
    const isWithheld = ending === 'quota-spent' && this.meter.isResponding()
    const isLeft = CUT_SHORT.has(ending) && this.meter.hasOpenResponse()
    const reported = isLeft ? this.meter.usageWithOpenResponse() : this.meter.usage()
    const usage = isWithheld ? this.deliveredUsage : reported
    const isUsed = promptTokens(usage) + completionTokens(usage) > 0 || hasExtras(usage)
    const provenance = isLeft || this.meter.isEstimated() ? 'estimated' : 'upstream'
    const rejectedUsage = this.meter.rejectedUsage()
    return this.parts.close({
      ...(rejectedUsage && { rejectedUsage }),
      ending: isUsed && ending === 'client-left' ? 'complete' : ending,
      usage,
      servedModel: this.meter.servedModel(),
      provenance: isUsed ? provenance : 'free',
      firstOutputMs: this.firstOutputMs,
    })
  }
}

/** The provider is not waited for, so that an open response is charged for what was delivered of it. */
const CUT_SHORT: ReadonlySet<ResponseEnding> = new Set(['client-left', 'access-ended'])
const NO_REASON = sameInBoth('')

/** A reason has at most 123 bytes. */
const CLOSE_FRAMES: Readonly<Record<ResponseEnding, readonly [code: number, reason: BothLanguages]>> = {
  complete: [CLOSE_NORMAL, NO_REASON],
  'client-left': [CLOSE_NORMAL, NO_REASON],
  'upstream-broke': [
    CLOSE_INTERNAL_ERROR,
    { zh: '上游提前结束了会话', en: 'the upstream ended the conversation early' },
  ],
  'quota-spent': [CLOSE_POLICY_VIOLATION, { zh: '额度不足', en: 'insufficient quota' }],
  'access-ended': [CLOSE_POLICY_VIOLATION, { zh: '令牌或登录已失效', en: 'the token or sign-in has ended' }],
  'storage-failed': [CLOSE_INTERNAL_ERROR, { zh: '无法保存计费记录', en: 'the charge could not be stored' }],
}

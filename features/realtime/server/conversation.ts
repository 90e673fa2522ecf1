import { elapsedMs } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { type BothLanguages, inLanguage, sameInBoth } from '#server/core/language.ts'
import { completionTokens, hasExtras, NO_USAGE, promptTokens } from '#server/core/usage.ts'
import type { WebSocketFrame } from '#server/http-client/websocket.ts'
import { createRealtimeMeter, parseEvent } from '#server/provider-kit/openai-realtime/realtime.ts'
import type { ClientSocket, SocketListener } from '#server/relay/request/client-connection.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'
import type { ConversationParts, ResponseEnding } from '#server/relay/types.ts'

/** Ends a response early; the provider then reports what it has used. */
const CANCEL_RESPONSE = JSON.stringify({ type: 'response.cancel' })

const CLOSE_NORMAL = 1000
const CLOSE_POLICY_VIOLATION = 1008
const CLOSE_INTERNAL_ERROR = 1011
const QUOTA_SPENT = new GatewayError('insufficient_user_quota', {
  zh: '会话期间额度已用尽',
  en: 'the quota ran out during the conversation',
})

/** Passes frames in both directions unchanged and in order, and delivers nothing that the hold does not cover. */
export class Conversation implements SocketListener {
  readonly protocol: string | undefined
  private readonly parts: ConversationParts
  private readonly meter = createRealtimeMeter(usage => this.parts.checkUsage(usage))
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
      this.parts.judge(parseEvent(frame))
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
    if (!(await this.parts.extendHold(usage))) return this.endForQuota()
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

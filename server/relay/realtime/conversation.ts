import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { completionTokens, NO_USAGE, promptTokens } from '../../core/usage.ts'
import type { HoldExtender } from '../billing/extend-hold.ts'
import type { Ending, Outcome } from '../billing/usage-to-charge.ts'
import type { ClientSocket, WebSocketFrame, SocketListener } from '../request/client-connection.ts'
import type { ActiveRequest } from '../request/relay-request.ts'
import type { UpstreamSocket } from '../upstream/websocket.ts'
import { createRealtimeMeter } from './realtime-meter.ts'

interface ConversationParts {
  readonly order: ActiveRequest
  readonly upstream: UpstreamSocket
  /** The sub-protocol that the client is answered with. */
  readonly protocol: string | undefined
  readonly coverage: HoldExtender
  /** Makes the charge durable. Called exactly once, however the conversation ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

const CLOSED_WELL = 1000
const CLOSED_BY_POLICY = 1008
const CLOSED_BY_FAULT = 1011
const QUOTA_SPENT = new GatewayError(
  'insufficient_user_quota',
  'the quota is used up, the conversation ends here',
)

/** Passes frames both ways, untouched and in their order, and delivers nothing that the hold does not cover. */
export class Conversation implements SocketListener {
  readonly protocol: string | undefined
  private readonly parts: ConversationParts
  private readonly meter = createRealtimeMeter()
  private client: ClientSocket | undefined
  private delivery: Promise<void> = Promise.resolve()
  private deliveredUsage = NO_USAGE
  private firstOutputMs: number | undefined
  private closing: Promise<void> | undefined

  constructor(parts: ConversationParts) {
    this.parts = parts
    this.protocol = parts.protocol
  }

  onOpen(client: ClientSocket): void {
    this.client = client
    this.parts.upstream.listen({
      heard: frame => void this.inTurn(() => this.deliver(frame)),
      closed: isGood => void this.inTurn(() => this.end(isGood ? 'complete' : 'upstream-broke')),
    })
  }

  onMessage(frame: WebSocketFrame): void {
    if (this.closing) return
    this.meter.fromClient(frame)
    this.parts.upstream.send(frame)
  }

  onClose(): Promise<void> {
    return this.inTurn(() => this.end('client-left'))
  }

  /** The upstream must not overtake itself while the hold is being extended. The ledger logs what it cannot write. */
  private inTurn(step: () => Promise<void>): Promise<void> {
    this.delivery = this.delivery
      .then(step)
      .catch(() => this.client?.close(CLOSED_BY_FAULT, 'internal error'))
    return this.delivery
  }

  private async deliver(frame: WebSocketFrame): Promise<void> {
    if (this.closing) return
    this.meter.fromUpstream(frame)
    const usage = this.meter.usage()
    if (!(await this.parts.coverage.extendToUsage(usage))) return this.refuse()
    this.deliveredUsage = usage
    if (completionTokens(usage) > 0) this.firstOutputMs ??= elapsedMs() - this.parts.order.startedMs
    this.client?.send(frame)
  }

  private async refuse(): Promise<void> {
    const { client, requestId } = this.parts.order
    const event = {
      event_id: `evt_${requestId}`,
      type: 'error',
      ...client.writeError(QUOTA_SPENT, requestId),
    }
    this.client?.send(JSON.stringify(event))
    await this.end('quota-spent')
  }

  private async end(ending: Ending): Promise<void> {
    this.closing ??= this.closeWith(ending)
    try {
      await this.closing
    } finally {
      this.parts.upstream.close()
    }
    this.client?.close(...CLOSINGS[ending])
  }

  /**
   * A conversation that its client ends is complete, unless nothing came of it. What is withheld is not charged; the
   * vendor's figures are, since they are of an answer that was delivered.
   */
  private closeWith(ending: Ending): Promise<void> {
    const isWithheld = ending === 'quota-spent' && this.meter.isAnswering()
    const usage = isWithheld ? this.deliveredUsage : this.meter.usage()
    const isUsed = promptTokens(usage) + completionTokens(usage) > 0
    const provenance = this.meter.isEstimated() ? 'estimated' : 'upstream'
    return this.parts.close({
      ending: isUsed && ending === 'client-left' ? 'complete' : ending,
      usage,
      provenance: isUsed ? provenance : 'free',
      firstOutputMs: this.firstOutputMs,
    })
  }
}

const CLOSINGS: Readonly<Record<Ending, readonly [code: number, reason: string]>> = {
  complete: [CLOSED_WELL, ''],
  'client-left': [CLOSED_WELL, ''],
  'upstream-broke': [CLOSED_BY_FAULT, 'the upstream broke off'],
  'quota-spent': [CLOSED_BY_POLICY, 'insufficient quota'],
  'storage-failed': [CLOSED_BY_FAULT, 'the charge could not be stored'],
}

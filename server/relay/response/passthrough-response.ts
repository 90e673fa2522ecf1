import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type Ending, type Outcome, usageToCharge } from '../billing/usage-to-charge.ts'
import type { ActiveRequest } from '../request/relay-request.ts'
import type { PassedAnswer } from '../upstream/read-passthrough.ts'

interface PassedFlowParts {
  readonly order: ActiveRequest
  readonly answer: PassedAnswer
  /** Makes the charge durable. Called exactly once, before the answer ends, however it ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

interface Delivery {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

const NOTHING = new Uint8Array()
const UNEXPECTED = new GatewayError('internal_error', 'the gateway failed unexpectedly')

/** Bytes on their way to the client as they come. Keeps none of them, and reads at the client's pace. */
export class PassthroughResponse {
  private readonly parts: PassedFlowParts
  private begun: Uint8Array | undefined
  private firstOutputMs: number | undefined
  private closing: Promise<void> | undefined

  constructor(parts: PassedFlowParts) {
    this.parts = parts
    this.begun = parts.answer.begun
  }

  /** Rejects where an answer that is no stream of events breaks off: only a broken connection says so there. */
  async next(): Promise<Delivery> {
    const { answer } = this.parts
    try {
      const bytes = this.begun ?? (await answer.next())
      this.begun = undefined
      if (!bytes) return await this.finish()
      this.firstOutputMs ??= elapsedMs() - this.parts.order.startedMs
      return { bytes, isLast: false }
    } catch (error) {
      return this.fail(error instanceof GatewayError ? error : UNEXPECTED)
    }
  }

  /** The client is gone: nothing more is read. Never rejects: the ledger logs what it cannot write. */
  async leave(): Promise<void> {
    this.parts.answer.cancel()
    await Promise.allSettled([this.closeOnce('client-left')])
  }

  private async finish(): Promise<Delivery> {
    const { failure, isComplete } = this.parts.answer.seen()
    await this.closeOnce(failure || !isComplete ? 'upstream-broke' : 'complete')
    return { bytes: NOTHING, isLast: true }
  }

  private async fail(error: GatewayError): Promise<Delivery> {
    const { order, answer } = this.parts
    answer.cancel()
    await this.closeOnce('upstream-broke')
    if (!answer.contentType.includes('event-stream')) throw error
    const event = `data: ${JSON.stringify(order.client.writeError(error, order.requestId))}\n\n`
    return { bytes: new TextEncoder().encode(event), isLast: true }
  }

  private closeOnce(ending: Ending): Promise<void> {
    this.closing ??= this.closeWith(ending)
    return this.closing
  }

  private closeWith(ending: Ending): Promise<void> {
    const { answer, order, close } = this.parts
    const { usage, isComplete } = answer.seen()
    const charge = usageToCharge({
      usage: usage && { ...usage, images: order.imageUnits },
      isComplete: ending === 'complete' && isComplete,
      hasOutput: this.firstOutputMs !== undefined,
      inputTokens: order.inputTokens,
      inputAudioTokens: order.inputAudioTokens,
      images: order.imageUnits,
      outputTokens: usage ? 0 : (order.maxOutputTokens ?? 0),
    })
    return close({ ending, ...charge, firstOutputMs: this.firstOutputMs })
  }
}

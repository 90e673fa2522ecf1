import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { withoutOutput } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/chat.ts'
import type { ClientError } from '../../provider-kit/client-dialect.ts'
import { openOutputMeter } from '../../provider-kit/estimate.ts'
import type { StreamPiece } from '../../provider-kit/exchange.ts'
import { isChunk } from '../../provider-kit/is-chunk.ts'
import type { HoldExtender } from '../billing/extend-hold.ts'
import { type Ending, type Outcome, usageToCharge } from '../billing/usage-to-charge.ts'
import type { ActiveRequest } from '../request/relay-request.ts'
import type { StreamAnswer } from '../upstream/call-channel.ts'
import type { ReadEvent } from '../upstream/read-stream.ts'
import type { StreamTranscoder } from './transcode.ts'

export interface FlowParts {
  readonly order: ActiveRequest
  readonly answer: StreamAnswer
  readonly translation: StreamTranscoder
  readonly coverage: HoldExtender
  /** Makes the charge durable. Called exactly once, before the last text is given, however the answer ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

/** Some of an answer. After the last there is nothing more to ask for. */
export interface Delivery {
  readonly text: string
  readonly isLast: boolean
}

const QUOTA_SPENT = new GatewayError('insufficient_user_quota', 'the quota is used up, the answer ends here')
const UNEXPECTED = new GatewayError('internal_error', 'the gateway failed unexpectedly')
const STORAGE_FAILED = new GatewayError('storage_failed', 'the charge could not be stored')
const BROKEN_OFF = new GatewayError('upstream_bad_answer', 'the upstream broke off its answer')

/** Something came that the client does not get. */
const WITHHELD: ReadonlySet<Ending> = new Set(['quota-spent', 'storage-failed'])

/** A streamed answer on its way to the client. Keeps counters, never text; delivers nothing that the hold does not cover. */
export class StreamResponse {
  private readonly parts: FlowParts
  private readonly meter = openOutputMeter()
  private begun: readonly ReadEvent[] | undefined
  private deliveredTokens = 0
  private firstOutputMs: number | undefined
  private closing: Promise<Outcome> | undefined

  constructor(parts: FlowParts) {
    this.parts = parts
    this.begun = parts.answer.begun
  }

  /** The next text that is not empty, or the last. Never throws for an upstream's sake. */
  async next(): Promise<Delivery> {
    try {
      for (;;) {
        const events = this.begun ?? (await this.parts.answer.upstream.next())
        this.begun = undefined
        if (!events) return await this.finish()
        const delivering = this.deliver(events, '')
        const delivery = delivering instanceof Promise ? await delivering : delivering
        if (delivery.text !== '' || delivery.isLast) return delivery
      }
    } catch (error) {
      return this.failFor(error)
    }
  }

  /** The client is gone: nothing more is read, what was delivered is charged. Never rejects: the ledger logs what it cannot write. */
  async leave(): Promise<void> {
    this.parts.answer.upstream.cancel()
    await Promise.allSettled([this.closeOnce('client-left')])
  }

  /** At once, unless more must be reserved or the answer ends here. `text`: what goes before. */
  private deliver(events: readonly ReadEvent[], text: string): Delivery | Promise<Delivery> {
    let written = text
    for (const read of events) {
      const failure = failureIn(read.pieces)
      if (failure) return this.fail('upstream-broke', failure, written)
      if (!this.covers(read.pieces))
        return this.deliverOnceCovered(events.slice(events.indexOf(read)), written)
      written += this.parts.translation.write(read)
    }
    return { text: written, isLast: false }
  }

  private async deliverOnceCovered(
    [counted, ...others]: readonly ReadEvent[],
    text: string,
  ): Promise<Delivery> {
    if (!(await this.extend())) return this.fail('quota-spent', QUOTA_SPENT, text)
    return this.deliver(others, text + (counted ? this.parts.translation.write(counted) : ''))
  }

  /** Counts pieces and says whether they may be delivered already. */
  private covers(pieces: readonly StreamPiece<ChatChunk>[]): boolean {
    for (const piece of pieces) if (piece.type !== 'failure') this.meter.add(piece)
    const tokens = this.meter.tokens()
    if (!this.parts.coverage.isWithinHold(tokens)) return false
    this.noteDelivered(tokens)
    return true
  }

  /** Reserves what is counted and not covered. False: that cannot be had. */
  private async extend(): Promise<boolean> {
    const tokens = this.meter.tokens()
    if (!(await this.parts.coverage.extendTo(tokens))) return false
    this.noteDelivered(tokens)
    return true
  }

  private noteDelivered(tokens: number): void {
    if (tokens === this.deliveredTokens) return
    this.firstOutputMs ??= elapsedMs() - this.parts.order.startedMs
    this.deliveredTokens = tokens
  }

  private async finish(): Promise<Delivery> {
    const { translation, answer } = this.parts
    const { chunks, isComplete } = answer.upstream.end()
    const failure = failureIn(chunks)
    if (failure || !isComplete) return this.fail('upstream-broke', failure ?? BROKEN_OFF)
    const last = chunks.filter(isChunk)
    if (!(this.covers(last) || (await this.extend()))) return this.fail('quota-spent', QUOTA_SPENT)
    const { usage } = await this.closeOnce('complete')
    return { text: translation.writePieces(last) + translation.end(usage), isLast: true }
  }

  private failFor(error: unknown): Promise<Delivery> {
    if (!(error instanceof GatewayError)) return this.fail('upstream-broke', UNEXPECTED)
    return this.fail(error.code === 'storage_failed' ? 'storage-failed' : 'upstream-broke', error)
  }

  /** Ends the answer with an error; when even the charge fails, with that one. */
  private async fail(ending: Ending, error: ClientError, text = ''): Promise<Delivery> {
    this.parts.answer.upstream.cancel()
    const shown = await this.closeOnce(ending).then(
      () => error,
      (thrown: unknown) => (thrown instanceof GatewayError ? thrown : STORAGE_FAILED),
    )
    return { text: text + this.parts.translation.fail(shown), isLast: true }
  }

  private closeOnce(ending: Ending): Promise<Outcome> {
    this.closing ??= this.closeWith(ending)
    return this.closing
  }

  private async closeWith(ending: Ending): Promise<Outcome> {
    const { answer, order, close } = this.parts
    const { usage, isComplete } = answer.upstream.end()
    const charge = usageToCharge({
      usage: WITHHELD.has(ending) ? usage && withoutOutput(usage) : usage,
      isComplete: ending === 'complete' && isComplete,
      hasOutput: this.deliveredTokens > 0,
      inputTokens: order.inputTokens,
      inputAudioTokens: order.inputAudioTokens,
      outputTokens: this.deliveredTokens,
      outputAudioTokens: this.meter.soundTokens(),
    })
    const outcome: Outcome = { ending, ...charge, firstOutputMs: this.firstOutputMs }
    await close(outcome)
    return outcome
  }
}

function failureIn(pieces: readonly StreamPiece<ChatChunk>[]): ClientError | undefined {
  for (const piece of pieces) if (piece.type === 'failure') return piece.failure
  return undefined
}

/** An answer on its way, piece by piece. After the last there is nothing more to ask for. */
interface Flow {
  next(): Promise<{ readonly isLast: boolean } & ({ readonly text: string } | { readonly bytes: Uint8Array })>
  /** The client is gone. */
  leave(): Promise<void>
}

/** The answer's bytes at the client's pace: upstream bytes are read only when the client wants more. `over` hears of the last. */
export function stream(flow: Flow, over: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const delivery = await flow.next()
        const bytes = 'text' in delivery ? encoder.encode(delivery.text) : delivery.bytes
        if (bytes.byteLength > 0) controller.enqueue(bytes)
        if (!delivery.isLast) return
        over()
        controller.close()
      },
      cancel: () => flow.leave(),
    },
    { highWaterMark: 0 },
  )
}

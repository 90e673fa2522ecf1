import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { inLanguage } from '../../core/language.ts'
import { withoutOutput } from '../../core/usage.ts'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type { ClientError } from '../../provider-kit/contract/client-dialect.ts'
import type { StreamPiece } from '../../provider-kit/contract/operation-adapter.ts'
import { createOutputMeter } from '../../provider-kit/estimate-tokens.ts'
import { isChatChunk } from '../../provider-kit/reply-chunks.ts'
import { ACCESS_ENDED } from '../admission/authenticate.ts'
import type { HoldExtender } from '../billing/hold.ts'
import { checkUsage, estimateThoughts, type UsageBound, usageToCharge } from '../billing/usage-to-charge.ts'
import type { ThoughtRecording } from '../hooks.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { signatureHandles } from '../routing/account-handles.ts'
import type { ActiveRequest, Outcome, ResponseEnding } from '../types.ts'
import type { StreamedUpstreamResponse } from '../upstream/call-channel.ts'
import { countChars, type ParsedEvent } from '../upstream/read-stream.ts'
import type { StreamTranscoder } from './transcode.ts'

/** A part of a streamed response. */
export type StreamPart = { readonly isLast: boolean } & (
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
)

/** Produces a streamed response part by part. */
export interface StreamSource {
  /** Reads the next part: a promise only where it must be waited for. Must not be called again after the last part. */
  next(): StreamPart | Promise<StreamPart>
  /**
   * The client disconnected: reads on for the provider's usage and charges it. Never rejects; the ledger logs its
   * failures.
   */
  cancel(): Promise<void>
}

interface StreamResponseParts {
  readonly request: ActiveRequest
  readonly response: StreamedUpstreamResponse
  readonly transcoder: StreamTranscoder
  readonly holdExtender: HoldExtender
  readonly client: ClientPresence
  readonly bound: UsageBound
  readonly thoughts: ThoughtRecording | undefined
  /** Makes the charge durable. Called exactly once, before the last part, however the stream ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

interface TextPart {
  readonly text: string
  readonly isLast: boolean
}

const QUOTA_SPENT = new GatewayError('insufficient_user_quota', {
  zh: '响应完成前额度已用尽',
  en: 'the quota ran out before the response was complete',
})
const UNEXPECTED = new GatewayError('internal_error', {
  zh: '网关发生意外错误',
  en: 'the gateway failed unexpectedly',
})
const STORAGE_FAILED = new GatewayError('storage_failed', {
  zh: '无法保存计费记录',
  en: 'the charge could not be stored',
})
const ENDED_EARLY = new GatewayError('upstream_bad_answer', {
  zh: '上游提前结束了响应',
  en: 'the upstream ended its response early',
})

/** With these endings the client did not get all of the provider's output, whose figures therefore do not apply. */
const WITHHELD: ReadonlySet<ResponseEnding> = new Set(['quota-spent', 'access-ended', 'storage-failed'])

/** A streamed model response. Keeps counters but no text, and delivers nothing that the hold does not cover. */
export class StreamResponse implements StreamSource {
  private readonly parts: StreamResponseParts
  private readonly meter = createOutputMeter()
  private firstEvents: readonly ParsedEvent[] | undefined
  private deliveredTokens = 0
  private firstOutputMs: number | undefined
  private hasThoughts = false
  private servedModel: string | undefined
  private readonly signatures: string[] = []
  private reading: TextPart | Promise<TextPart> | undefined
  private leaving: Promise<void> | undefined
  private closing: Promise<Outcome> | undefined

  constructor(parts: StreamResponseParts) {
    this.parts = parts
    this.firstEvents = parts.response.firstEvents
    parts.client.whenRevoked(() => void this.endAccess())
  }

  /** Skips empty parts. Upstream failures end the stream with an error event; they do not reject. */
  next(): TextPart | Promise<TextPart> {
    if (this.parts.client.isRevoked) return this.fail('access-ended', ACCESS_ENDED)
    const events = this.firstEvents
    this.firstEvents = undefined
    this.reading = events ? this.readFirst(events) : this.read()
    return this.reading
  }

  cancel(): Promise<void> {
    this.leaving ??= this.readOn()
    return this.leaving
  }

  /** Charges also where the client reads no further. */
  private async endAccess(): Promise<void> {
    this.parts.response.stream.cancel()
    await this.reading
    await Promise.allSettled([this.closeOnce('access-ended')])
  }

  /** Without a promise where the hold covers the events: they then leave in one write with the head of the response. */
  private readFirst(events: readonly ParsedEvent[]): TextPart | Promise<TextPart> {
    try {
      const part = this.deliver(events)
      return part instanceof Promise || isEmpty(part) ? this.read(part) : part
    } catch (error) {
      return this.failWith(error)
    }
  }

  /** `delivered`: what comes first, unless it is empty. */
  private async read(delivered?: TextPart | Promise<TextPart>): Promise<TextPart> {
    try {
      let part = await delivered
      while (part === undefined || isEmpty(part)) {
        const events = await this.parts.response.stream.next()
        if (!events) return await this.finish()
        const next = this.deliver(events)
        part = next instanceof Promise ? await next : next
      }
      return part
    } catch (error) {
      return this.failWith(error)
    }
  }

  /** Without text to deliver, one read goes on to the end of the stream. */
  private async readOn(): Promise<void> {
    const { client, response } = this.parts
    client.leave()
    const stop = () => response.stream.cancel()
    client.upstreamSignal.addEventListener('abort', stop)
    if (client.upstreamSignal.aborted) stop()
    const part = await this.reading
    if (!part?.isLast) await this.read()
    stop()
    await Promise.allSettled([this.closeOnce('client-left')])
  }

  private deliver(events: readonly ParsedEvent[]): TextPart | Promise<TextPart> {
    const { client } = this.parts
    if (client.hasLeft) client.countUnread(countChars(events))
    return this.deliverFrom(events, 0, '')
  }

  /** Delivers events from `start` on, after `text`. A promise only where the hold does not cover them. */
  private deliverFrom(
    events: readonly ParsedEvent[],
    start: number,
    text: string,
  ): TextPart | Promise<TextPart> {
    let delivered = text
    for (let index = start; index < events.length; index++) {
      const event = events[index]
      if (!event) break
      const failure = findFailure(event.pieces)
      if (failure) return this.fail('upstream-broke', failure, delivered)
      if (!this.count(event.pieces)) return this.deliverBeyondHold(events, index, delivered)
      delivered += this.write(event)
    }
    return { text: delivered, isLast: false }
  }
  /** Counts the pieces. False when the hold must be extended before they may be delivered. */
  private count(pieces: readonly StreamPiece<ChatChunk>[]): boolean {
    for (const piece of pieces) {
      if (piece.type !== 'failure') this.meter.add(piece)
      if (piece.type === 'start') this.servedModel = piece.model
      if (piece.type === 'reasoning-delta') this.hasThoughts = true
      if (piece.type === 'reasoning-signature') this.signatures.push(piece.signature)
    }
    if (this.parts.thoughts) pieces.filter(isChatChunk).forEach(this.parts.thoughts.add)
    const tokens = this.meter.tokens()
    if (!this.parts.holdExtender.isWithinHold(tokens)) return false
    this.noteDelivered(tokens)
    return true
  }

  /** Extends the hold to everything counted. False when the payer cannot afford it. */
  private async extendHold(): Promise<boolean> {
    const tokens = this.meter.tokens()
    if (!(await this.parts.holdExtender.extendTo(tokens))) return false
    this.noteDelivered(tokens)
    return true
  }

  /** Extends the hold to the event at `index`, which is counted, and delivers it and those after it. */
  private async deliverBeyondHold(
    events: readonly ParsedEvent[],
    index: number,
    text: string,
  ): Promise<TextPart> {
    const event = events[index]
    if (!(await this.extendHold())) return this.fail('quota-spent', QUOTA_SPENT, text)
    return this.deliverFrom(events, index + 1, event ? text + this.write(event) : text)
  }

  private write(event: ParsedEvent): string {
    const { client, transcoder } = this.parts
    return client.hasLeft ? '' : transcoder.write(event)
  }

  private noteDelivered(tokens: number): void {
    if (tokens === this.deliveredTokens) return
    this.firstOutputMs ??= elapsedMs() - this.parts.request.startedMs
    this.deliveredTokens = tokens
  }

  private async finish(): Promise<TextPart> {
    const { transcoder, response } = this.parts
    const { chunks, isComplete } = response.stream.end()
    const failure = findFailure(chunks)
    if (failure || !isComplete) return this.fail('upstream-broke', failure ?? ENDED_EARLY)
    const lastChunks = chunks.filter(isChatChunk)
    const canDeliver = this.count(lastChunks) || (await this.extendHold())
    if (!canDeliver) return this.fail('quota-spent', QUOTA_SPENT)
    const { usage } = await this.closeOnce('complete')
    return { text: transcoder.writePieces(lastChunks) + transcoder.end(usage), isLast: true }
  }

  private failWith(error: unknown): Promise<TextPart> {
    if (!(error instanceof GatewayError)) return this.fail('upstream-broke', UNEXPECTED)
    return this.fail(error.code === 'storage_failed' ? 'storage-failed' : 'upstream-broke', error)
  }

  /** Ends the stream with an error; if charging fails as well, with the storage error. */
  private async fail(ending: ResponseEnding, error: ClientError, text = ''): Promise<TextPart> {
    const { response, request } = this.parts
    response.stream.cancel()
    const { isRevoked } = this.parts.client
    const shownError = await this.closeOnce(isRevoked ? 'access-ended' : ending).then(
      () => (isRevoked ? ACCESS_ENDED : error),
      (thrown: unknown) => (thrown instanceof GatewayError ? thrown : STORAGE_FAILED),
    )
    return { text: text + this.parts.transcoder.fail(inLanguage(shownError, request.language)), isLast: true }
  }

  private closeOnce(ending: ResponseEnding): Promise<Outcome> {
    this.closing ??= this.close(this.parts.client.hasLeft ? 'client-left' : ending)
    return this.closing
  }

  private async close(ending: ResponseEnding): Promise<Outcome> {
    const { response, request, close } = this.parts
    const {
      usage: reported,
      isComplete,
      handles = signatureHandles(request, this.signatures),
    } = response.stream.end()
    const { usage, ...rejected } = checkUsage(reported, this.parts.bound, this.meter.tokens)
    const hasLeft = ending === 'client-left'
    const billedUsage = usageToCharge({
      usage: WITHHELD.has(ending) ? usage && withoutOutput(usage) : usage,
      isComplete: (ending === 'complete' || hasLeft) && isComplete,
      hasOutput: this.deliveredTokens > 0 || hasLeft,
      thoughtTokens: hasLeft ? this.unseenThoughts() : 0,
      inputTokens: request.inputTokens,
      inputAudioTokens: request.inputAudioTokens,
      outputTokens: this.deliveredTokens,
      outputAudioTokens: this.meter.audioTokens(),
    })
    const { firstOutputMs, servedModel } = this
    const outcome = { ending, ...billedUsage, ...rejected, servedModel, handles, firstOutputMs }
    await close(outcome)
    return outcome
  }

  private unseenThoughts(): number {
    const { request } = this.parts
    if (this.hasThoughts) return 0
    const { firstOutputMs } = this
    return estimateThoughts(
      request,
      firstOutputMs === undefined ? undefined : request.startedMs + firstOutputMs,
    )
  }
}

const isEmpty = ({ text, isLast }: TextPart): boolean => text === '' && !isLast

function findFailure(pieces: readonly StreamPiece<ChatChunk>[]): ClientError | undefined {
  for (const piece of pieces) if (piece.type === 'failure') return piece.failure
  return undefined
}

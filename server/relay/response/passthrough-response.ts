import { elapsedMs } from '../../core/clock.ts'
import { inLanguage } from '../../core/language.ts'
import { ACCESS_ENDED } from '../admission/authenticate.ts'
import { checkUsage, type UsageBound, usageToCharge } from '../billing/usage-to-charge.ts'
import type { ClientPresence } from '../request/client-presence.ts'
import { toClientError } from '../routing/attempts.ts'
import type { ActiveRequest, Outcome, ResponseEnding } from '../types.ts'
import type { PassthroughUpstreamResponse } from '../upstream/read-stream.ts'
import type { StreamPart, StreamSource } from './stream-response.ts'

interface PassthroughParts {
  readonly request: ActiveRequest
  readonly response: PassthroughUpstreamResponse
  readonly client: ClientPresence
  readonly bound: UsageBound
  /** Makes the charge durable. Called exactly once, before the stream ends, however it ends. */
  readonly close: (outcome: Outcome) => Promise<void>
}

const NO_BYTES = new Uint8Array()

/** Upstream bytes that are passed through unchanged, at the client's pace and without buffering. */
export class PassthroughResponse implements StreamSource {
  private readonly parts: PassthroughParts
  private firstBytes: Uint8Array | undefined
  private firstOutputMs: number | undefined
  private reading: Promise<StreamPart> | undefined
  private leaving: Promise<void> | undefined
  private closing: Promise<void> | undefined

  constructor(parts: PassthroughParts) {
    this.parts = parts
    this.firstBytes = parts.response.firstBytes
    parts.client.whenRevoked(() => void this.endAccess())
  }

  /**
   * Rejects when a body other than an event stream is interrupted, since only a broken connection shows that to the
   * client.
   */
  next(): Promise<StreamPart> {
    this.reading = this.parts.client.isRevoked ? this.fail(ACCESS_ENDED) : this.read()
    return this.reading
  }

  /** Charges also where the client reads no further. */
  private async endAccess(): Promise<void> {
    this.parts.response.cancel()
    await Promise.allSettled([this.reading])
    await Promise.allSettled([this.closeOnce('access-ended')])
  }

  cancel(): Promise<void> {
    this.leaving ??= this.readOn()
    return this.leaving
  }

  private async read(): Promise<StreamPart> {
    const { response } = this.parts
    try {
      const bytes = this.firstBytes ?? (await response.next())
      this.firstBytes = undefined
      if (!bytes) return await this.finish()
      this.firstOutputMs ??= elapsedMs() - this.parts.request.startedMs
      return { bytes, isLast: false }
    } catch (error) {
      return this.fail(error)
    }
  }

  /** Reads to the end for the provider's usage. Bytes without events contain none. */
  private async readOn(): Promise<void> {
    const { client, response } = this.parts
    client.leave()
    const stop = () => response.cancel()
    client.upstreamSignal.addEventListener('abort', stop)
    if (client.upstreamSignal.aborted || !response.reportsUsage) stop()
    const [part] = await Promise.allSettled([this.reading])
    if (part.status === 'fulfilled' && !part.value?.isLast) await this.skipRest()
    stop()
    await Promise.allSettled([this.closeOnce('client-left')])
  }

  private async skipRest(): Promise<void> {
    const { client, response } = this.parts
    try {
      for (let bytes = await response.next(); bytes; bytes = await response.next())
        client.countUnread(bytes.byteLength)
    } catch {
      // A response that breaks off, or was stopped at a limit, is charged for what is known of it.
    }
  }

  private async finish(): Promise<StreamPart> {
    const { failure, isComplete } = this.parts.response.summary()
    if (!isComplete && this.parts.client.isRevoked) return this.fail(ACCESS_ENDED)
    await this.closeOnce(failure || !isComplete ? 'upstream-broke' : 'complete')
    return { bytes: NO_BYTES, isLast: true }
  }

  private async fail(cause: unknown): Promise<StreamPart> {
    const { request, response, client } = this.parts
    const error = client.isRevoked ? ACCESS_ENDED : cause
    response.cancel()
    await this.closeOnce(client.isRevoked ? 'access-ended' : 'upstream-broke')
    if (!response.contentType.includes('event-stream')) throw error
    const clientError = inLanguage(toClientError(error), request.language)
    const json = JSON.stringify(request.client.writeError(clientError, request.requestId))
    return { text: `data: ${json}\n\n`, isLast: true }
  }

  private closeOnce(ending: ResponseEnding): Promise<void> {
    this.closing ??= this.close(this.parts.client.hasLeft ? 'client-left' : ending)
    return this.closing
  }

  private close(ending: ResponseEnding): Promise<void> {
    const { response, request, close } = this.parts
    const { usage: reported, isComplete, servedModel } = response.summary()
    const { usage, ...rejected } = checkUsage(reported, this.parts.bound)
    const billedUsage = usageToCharge({
      usage: usage && { ...usage, images: request.imageUnits },
      isComplete: (ending === 'complete' || ending === 'client-left') && isComplete,
      hasOutput: this.firstOutputMs !== undefined || ending === 'client-left',
      inputTokens: request.inputTokens,
      inputAudioTokens: request.inputAudioTokens,
      images: request.imageUnits,
      outputTokens: usage ? 0 : (request.maxOutputTokens ?? 0),
    })
    return close({ ending, ...billedUsage, ...rejected, servedModel, firstOutputMs: this.firstOutputMs })
  }
}

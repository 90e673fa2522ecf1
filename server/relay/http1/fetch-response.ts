import { setDeadline } from '../../core/deadlines.ts'
import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'
import { WireError } from './http-error.ts'
import { gather, SilentUpstream, type UpstreamResponse } from './upstream-response.ts'

interface Fetched {
  readonly status: number
  readonly ok: boolean
  readonly headers: AnswerHeaders
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null
}

/** An answer whose bytes come from a stream: what the runtime's own client fetched, a socket, what is unpacked. */
export class FetchedResponse implements UpstreamResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: AnswerHeaders
  readonly hasBody: boolean
  private readonly end: (reason?: unknown) => void
  private readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
  private cancelled: { readonly reason: unknown } | undefined

  /** `cancel` ends the call. */
  constructor({ status, ok, headers, body }: Fetched, cancel: (reason?: unknown) => void) {
    this.status = status
    this.ok = ok
    this.headers = headers
    this.hasBody = body !== null
    this.end = cancel
    this.reader = body?.getReader()
  }

  async next(patienceMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const deadline = patienceMs && setDeadline(patienceMs, () => this.cancel(new SilentUpstream(patienceMs)))
    try {
      const piece = await this.reader?.read()
      if (piece?.value || !this.cancelled) return piece?.value
    } catch (error) {
      if (!this.cancelled) throw error
    } finally {
      if (deadline) deadline.drop()
    }
    throw this.cancelled?.reason
  }

  bytes(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return gather(this, bytesMax)
  }

  textAtHand(): undefined {
    return undefined
  }

  cancel(reason: unknown = new WireError('ECANCELED', 'the call was ended')): void {
    if (this.cancelled) return
    this.cancelled = { reason }
    this.end(reason)
    this.reader?.cancel(reason).catch(() => undefined)
  }
}

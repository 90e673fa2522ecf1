import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'

/** What an upstream answers: the head is there, the body is read once, either piece by piece or whole. */
export interface UpstreamResponse {
  readonly status: number
  /** The status is one of success. */
  readonly ok: boolean
  readonly headers: AnswerHeaders
  /** False when the head says that nothing follows it. */
  readonly hasBody: boolean
  /**
   * The next bytes as they come; undefined at the end. Rejects when they break off. Where nothing comes within
   * `patienceMs` the call is ended, and SilentUpstream is what it rejects with.
   */
  next(patienceMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** All bytes that are left. Rejects when they break off, and with TooLargeAnswer when there are more than `bytesMax`. */
  bytes(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>
  /** All that is left as text, read as UTF-8, if it has come already; undefined: it must be waited for. */
  textAtHand(bytesMax: number): string | undefined
  /** Ends the call. What was not read cannot be read any more, and whoever reads is told the reason. */
  cancel(reason?: unknown): void
}

export class TooLargeAnswer extends Error {}

export class SilentUpstream extends Error {
  readonly afterMs: number

  constructor(afterMs: number) {
    super()
    this.afterMs = afterMs
  }
}

/** All bytes that are left of an answer. Rejects as `next` does, and with TooLargeAnswer when there are more than `bytesMax`. */
export async function gather(
  response: Pick<UpstreamResponse, 'next'>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let piece = await response.next(); piece; piece = await response.next()) {
    pieces.push(piece)
    size += piece.byteLength
    if (size > bytesMax) throw new TooLargeAnswer()
  }
  const [only] = pieces
  return only && pieces.length === 1 ? only : Buffer.concat(pieces, size)
}

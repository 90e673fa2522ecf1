import { TooLargeAnswer, type UpstreamResponse } from './upstream-response.ts'

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

/** Some of the bytes that came in at once. They are not copied and never changed. */
export interface Stretch {
  readonly bytes: Buffer<ArrayBuffer>
  readonly start: number
  /** The first byte that does not belong to it. */
  readonly end: number
}

const BYTE_ORDER_MARK = 0xfeff

export const sizeOf = ({ start, end }: Stretch): number => end - start

/** The runtime moves a small stretch out of its heap for this, so ask for the text where a text is wanted. */
export const viewOf = ({ bytes: { buffer, byteOffset }, start, end }: Stretch): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer, byteOffset + start, end - start)

/** Reads UTF-8 as `TextDecoder` does. */
export function textOf({ bytes, start, end }: Stretch): string {
  const text = bytes.toString('utf8', start, end)
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}

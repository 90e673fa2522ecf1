/** How pictures begin, as hexadecimal digits; a dot stands for any. Source: the formats' own specifications. */
const BEGINNINGS: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^.{8}66747970(61766966|61766973)/, 'image/avif'],
]
const BYTES_LOOKED_AT = 16

/** What kind of picture the bytes are, whatever their sender says. Undefined when they are none that browsers may show. */
export function pictureTypeOf(bytes: Uint8Array): string | undefined {
  const begin = Buffer.from(bytes.subarray(0, BYTES_LOOKED_AT)).toString('hex')
  return BEGINNINGS.find(([pattern]) => pattern.test(begin))?.[1]
}

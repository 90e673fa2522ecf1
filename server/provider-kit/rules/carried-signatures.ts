/**
 * A signature of Claude's in a history of another format. Unmarked, it could not be told from that of the format's own
 * provider, and each provider rejects what it did not sign. Base64, because clients of Google's formats read bytes; some of
 * them write it again in the alphabet for URLs.
 */
const MARK = 'carried:'

export const carrySignature = (signature: string): string => Buffer.from(MARK + signature).toString('base64')

/** The signature that was marked; undefined for the own one of the format's provider. */
export function readCarriedSignature(marked: unknown): string | undefined {
  if (typeof marked !== 'string') return undefined
  const text = Buffer.from(marked, 'base64').toString()
  return text.startsWith(MARK) ? text.slice(MARK.length) : undefined
}

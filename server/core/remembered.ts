/** A longer text is not worth its memory. */
const CHARS_MAX = 512

/**
 * The same function with a memory, for pure ones that are asked about the same few texts again and again. When it
 * remembers `countMax` it forgets them all.
 */
export function remembered<Found>(find: (text: string) => Found, countMax: number): (text: string) => Found {
  const known = new Map<string, Found>()
  return text => {
    const seen = known.get(text)
    if (seen !== undefined) return seen
    const found = find(text)
    if (text.length > CHARS_MAX) return found
    if (known.size >= countMax) known.clear()
    known.set(copyOf(text), found)
    return found
  }
}

/** A text that was cut out of another keeps all of that in memory. */
const copyOf = (text: string): string => text.split('').join('')

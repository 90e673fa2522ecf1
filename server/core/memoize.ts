/** Longer texts are not worth the memory. */
const CHARS_MAX = 512

/**
 * Caches the results of a pure function of a text, for texts that recur. Clears the cache when it holds `countMax`
 * results. A result of `undefined` is not cached.
 */
export function memoize<Result>(
  compute: (text: string) => Result,
  countMax: number,
): (text: string) => Result {
  const cache = new Map<string, Result>()
  return text => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (text.length > CHARS_MAX) return result
    if (cache.size >= countMax) cache.clear()
    cache.set(copyOf(text), result)
    return result
  }
}

/** A substring keeps the whole text that it was cut from in memory; a copy does not. */
const copyOf = (text: string): string => text.split('').join('')

const DEFAULT_DIMENSIONS = 8
const DIMENSIONS_MAX = 8192

/** Returns a unit vector that depends only on the text. */
export function embeddingVector(text: string, dimensions = DEFAULT_DIMENSIONS): readonly number[] {
  let seed = 0
  for (const char of text) seed = (seed * 31 + (char.codePointAt(0) ?? 0)) % 65_521
  const raw = Array.from({ length: Math.min(dimensions, DIMENSIONS_MAX) }, (_, index) =>
    Math.sin(seed + index + 1),
  )
  const norm = Math.hypot(...raw)
  return raw.map(value => Math.fround(value / norm))
}

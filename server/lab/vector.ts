const USUAL_DIMENSIONS = 8
const DIMENSIONS_MAX = 8192

/** A vector of length one that depends on the text alone. */
export function vectorOf(text: string, dimensions = USUAL_DIMENSIONS): readonly number[] {
  let seed = 0
  for (const letter of text) seed = (seed * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  const raw = Array.from({ length: Math.min(dimensions, DIMENSIONS_MAX) }, (_, index) =>
    Math.sin(seed + index + 1),
  )
  const norm = Math.hypot(...raw)
  return raw.map(value => Math.fround(value / norm))
}

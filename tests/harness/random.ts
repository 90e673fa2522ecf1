/** Pseudo-random choices. The same seed gives the same sequence. */
export interface Random {
  /** Between `least` and `most`, inclusive. */
  integer(least: number, most: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
}

const STEP = 0x6d2b79f5
const RANGE = 2 ** 32

/** Mulberry32, seeded with an FNV-1a hash of the text. */
export function seededRandom(seed: string): Random {
  let state = 0x811c9dc5
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193)
  const next = (): number => {
    state = (state + STEP) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return { integer, pick: choices => choices[integer(0, choices.length - 1)] ?? choices[0] }
}

const RATIOS: readonly (readonly [name: string, ratio: number])[] = [
  ['1:1', 1],
  ['3:4', 3 / 4],
  ['4:3', 4 / 3],
  ['9:16', 9 / 16],
  ['16:9', 16 / 9],
]
const SIZE = /^(\d+)x(\d+)$/

/** The nearest of the shapes that Google and MiniMax draw. Undefined for a size that is none. */
export function toAspectRatio(size: string | null | undefined): string | undefined {
  const [, width, height] = SIZE.exec(size ?? '') ?? []
  if (!Number(width) || !Number(height)) return undefined
  const wanted = Math.log(Number(width) / Number(height))
  const distance = (ratio: number): number => Math.abs(Math.log(ratio) - wanted)
  return RATIOS.toSorted((a, b) => distance(a[1]) - distance(b[1]))[0]?.[0]
}

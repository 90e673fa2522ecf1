import { timingSafeEqual } from 'node:crypto'

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSameText(found: string, expected: string): boolean {
  const [a, b] = [Buffer.from(found), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

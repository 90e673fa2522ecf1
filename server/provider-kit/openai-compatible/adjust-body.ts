import type { JsonObject } from '../chat.ts'

/** How a vendor's request differs from OpenAI's, said as data. Applied in this order. */
export interface BodyDifferences {
  /** The fields that the vendor knows, by our names, where it refuses all others. */
  readonly only?: readonly string[]
  /** Ours to theirs, e.g. `{ seed: 'random_seed' }`. */
  readonly rename?: Readonly<Record<string, string>>
  /** Fields that the vendor refuses. */
  readonly drop?: readonly string[]
  /** Least and most of number fields. Values beyond are moved to the edge. */
  readonly clamp?: Readonly<Record<string, readonly [least: number, most: number]>>
}

export function adjustBody(
  body: JsonObject,
  { only, rename = {}, drop = [], clamp = {} }: BodyDifferences,
): JsonObject {
  const adjusted: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(body)) {
    if (drop.includes(field) || (only && !only.includes(field))) continue
    const range = clamp[field]
    const isInNeed = range !== undefined && typeof value === 'number'
    adjusted[rename[field] ?? field] = isInNeed ? Math.min(Math.max(value, range[0]), range[1]) : value
  }
  return adjusted
}

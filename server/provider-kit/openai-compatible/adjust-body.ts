import type { JsonObject } from '../chat.ts'

/** How a vendor's request differs from OpenAI's, said as data. Applied in this order. */
export interface BodyDifferences {
  /** The fields that the vendor knows, by our names, where it refuses all others. */
  readonly only?: readonly string[]
  /** Ours to theirs, e.g. `{ seed: 'random_seed' }`. What is renamed goes before what has that name already. */
  readonly rename?: Readonly<Record<string, string>>
  /** Fields that the vendor refuses. */
  readonly drop?: readonly string[]
  /** Least and most of number fields. Values beyond are moved to the edge. */
  readonly clamp?: Readonly<Record<string, readonly [least: number, most: number]>>
}

export function adjustBody(body: JsonObject, differences: BodyDifferences): JsonObject {
  const { only, rename, drop, clamp } = differences
  return only || rename || drop || clamp ? adjusted(body, differences) : body
}

function adjusted(
  body: JsonObject,
  { only, rename = {}, drop = [], clamp = {} }: BodyDifferences,
): JsonObject {
  const kept: Record<string, unknown> = {}
  const renamed: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(body)) {
    if (drop.includes(field) || (only && !only.includes(field))) continue
    const range = ownOf(clamp, field)
    const isInNeed = range !== undefined && typeof value === 'number'
    const fitting = isInNeed ? Math.min(Math.max(value, range[0]), range[1]) : value
    const theirs = ownOf(rename, field)
    if (theirs === undefined) kept[field] = fitting
    else if (value !== null) renamed[theirs] = fitting
  }
  return { ...kept, ...renamed }
}

/** Clients name the fields, and one of them may be called `constructor`. */
const ownOf = <Value>(table: Readonly<Record<string, Value>>, field: string): Value | undefined =>
  Object.hasOwn(table, field) ? table[field] : undefined

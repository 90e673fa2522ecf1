import { z } from 'zod'
import { ownEntry } from '../core/json.ts'

const SCHEMA_DEPTH_MAX = 8

const Schema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
})

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'Lisbon',
  number: 21.5,
  integer: 21,
  boolean: true,
  null: null,
}

/** A value that fits a JSON schema of the usual kind: the first of an enum, every property of an object, one item of an array. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  const { data } = Schema.safeParse(schema)
  if (!data || depth > SCHEMA_DEPTH_MAX) return {}
  if (data.enum && data.enum.length > 0) return data.enum[0]
  const type = String(Array.isArray(data.type) ? data.type[0] : (data.type ?? 'object')).toLowerCase()
  if (type === 'array') return [sampleOf(data.items, depth + 1)]
  if (type !== 'object') return ownEntry(SAMPLES, type) ?? null
  return Object.fromEntries(
    Object.entries(data.properties ?? {}).map(([name, property]) => [name, sampleOf(property, depth + 1)]),
  )
}

import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { isObject } from '../../provider-kit/json.ts'

/** Numbers that Google writes as texts. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])
const DROPPED: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering', 'example'])

/** Google's kind of OpenAPI schema as JSON Schema: types in lower case, `nullable` as a type. */
export function toJsonSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([name]) => !DROPPED.has(name))
  const converted = Object.fromEntries(entries.map(([name, value]) => [name, convert(name, value)]))
  const { type } = converted
  return schema.nullable === true && type !== undefined ? { ...converted, type: [type, 'null'] } : converted
}

function convert(name: string, value: unknown): unknown {
  if (name === 'type') return typeof value === 'string' ? value.toLowerCase() : value
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toInner(inner)]))
  if (name === 'items' || name === 'additionalProperties') return toInner(value)
  if (name === 'anyOf') return Array.isArray(value) ? value.map(toInner) : value
  return COUNTS.has(name) ? Number(value) : value
}

const toInner = (value: unknown): unknown => (isObject(value) ? toJsonSchema(value) : value)

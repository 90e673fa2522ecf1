import { asObject, isObject, type JsonObject } from '../json.ts'
import { isNullKeyword } from '../rules/object-schema.ts'

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
])
/** Keywords whose value holds schemas by name. */
const NAMED_SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties'])
/** Annotations of authors and editors, which say nothing to the model. */
const DROPPED_KEYWORDS: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'examples', 'strict'])
const DEFINITIONS = '#/definitions/'

/**
 * Rewrites a JSON Schema for the fields `parametersJsonSchema` and `responseJsonSchema`. References are kept, never
 * written out, so the result is as large as the schema. `definitions` becomes `$defs`, `const` an enum of one value, and
 * a reference stands alone, as Gemini requires. Undefined for a schema that describes nothing.
 * Source: ai.google.dev/api/generate-content#FIELDS.response_json_schema
 */
export function toGeminiSchema(schema: unknown): JsonObject | undefined {
  const converted = convert(asObject(schema))
  const isEmptyObject =
    converted.type === 'object' && Object.keys(asObject(converted.properties)).length === 0
  const hasMore = Object.keys(converted).some(keyword => keyword !== 'type' && keyword !== 'properties')
  return Object.keys(converted).length === 0 || (isEmptyObject && !hasMore) ? undefined : converted
}

function convert(schema: JsonObject): JsonObject {
  const isReference = typeof schema.$ref === 'string'
  const entries = Object.entries(schema)
    .filter(
      ([keyword, value]) =>
        !DROPPED_KEYWORDS.has(keyword) &&
        !isNullKeyword(keyword, value) &&
        (!isReference || keyword.startsWith('$') || keyword === 'definitions'),
    )
    .map(([keyword, value]) => convertKeyword(isOldTuple(keyword, value) ? 'prefixItems' : keyword, value))
  return Object.fromEntries(entries)
}

/** Tuples were lists of schemas in `items` once. */
const isOldTuple = (keyword: string, value: unknown): boolean => keyword === 'items' && Array.isArray(value)

function convertKeyword(keyword: string, value: unknown): readonly [string, unknown] {
  if (keyword === 'definitions') return ['$defs', mapValues(value)]
  if (keyword === 'const') return ['enum', [value]]
  if (keyword === '$ref' && typeof value === 'string')
    return [keyword, value.startsWith(DEFINITIONS) ? `#/$defs/${value.slice(DEFINITIONS.length)}` : value]
  if (NAMED_SCHEMA_KEYWORDS.has(keyword)) return [keyword, mapValues(value)]
  return [keyword, SCHEMA_KEYWORDS.has(keyword) ? convertInner(value) : value]
}

function convertInner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertInner)
  return isObject(value) ? convert(value) : value
}

const mapValues = (value: unknown): JsonObject =>
  Object.fromEntries(Object.entries(asObject(value)).map(([name, schema]) => [name, convertInner(schema)]))

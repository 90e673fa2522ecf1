import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'

/** Recursive schemas are truncated at this depth. */
const DEPTH_MAX = 16

const KEPT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'nullable',
  'description',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'minProperties',
  'maxProperties',
])
const KEPT_FORMATS: ReadonlySet<string> = new Set(['enum', 'date-time', 'int32', 'int64', 'float', 'double'])

/**
 * Converts a JSON Schema to the OpenAPI subset that Gemini reads: references are inlined, `const` becomes `enum`,
 * `oneOf` becomes `anyOf`, `allOf` is merged, and everything else is dropped. Undefined where nothing is left.
 * Source: ai.google.dev/api/caching#Schema
 */
export function toGeminiSchema(schema: unknown): JsonObject | undefined {
  const root = asObject(schema)
  const cleaned = clean(root, { ...asObject(root.definitions), ...asObject(root.$defs) }, 0)
  const isEmptyObject = cleaned.type === 'object' && Object.keys(asObject(cleaned.properties)).length === 0
  return Object.keys(cleaned).length === 0 || isEmptyObject ? undefined : cleaned
}

function clean(schema: JsonObject, definitions: JsonObject, depth: number): JsonObject {
  if (depth > DEPTH_MAX) return {}
  const merged = mergeAllOf(resolveRef(schema, definitions), definitions)
  const inner = (value: unknown): JsonObject => clean(asObject(value), definitions, depth + 1)
  const kept = Object.fromEntries(Object.entries(merged).filter(([field]) => KEPT_FIELDS.has(field)))
  const anyOf = asArray(merged.anyOf ?? merged.oneOf).map(inner)
  const properties = isObject(merged.properties) ? mapValues(merged.properties, inner) : undefined
  return {
    ...kept,
    ...nullableType(merged.type),
    ...(properties && { properties, ...toRequired(merged.required, properties) }),
    ...(isObject(merged.items) && { items: inner(merged.items) }),
    ...(anyOf.length > 0 && { anyOf }),
    ...toEnum(merged),
    ...(KEPT_FORMATS.has(asString(merged.format) ?? '') && { format: merged.format }),
  }
}

function resolveRef(schema: JsonObject, definitions: JsonObject): JsonObject {
  const name = asString(schema.$ref)?.split('/').at(-1)
  return name === undefined ? schema : { ...asObject(definitions[name]), ...schema }
}

function mergeAllOf(schema: JsonObject, definitions: JsonObject): JsonObject {
  let merged = schema
  for (const part of asArray(schema.allOf).map(asObject)) {
    const { properties, required, ...rest } = resolveRef(part, definitions)
    merged = {
      ...merged,
      ...rest,
      ...(isObject(properties) && { properties: { ...asObject(merged.properties), ...properties } }),
      ...(required !== undefined && { required: [...asArray(merged.required), ...asArray(required)] }),
    }
  }
  return merged
}

/** `["string", "null"]` becomes a type and `nullable`. */
function nullableType(type: unknown): JsonObject {
  if (!Array.isArray(type)) return {}
  const named = type.find(name => name !== 'null')
  return { ...(named !== undefined && { type: named }), ...(type.includes('null') && { nullable: true }) }
}

/** Gemini rejects required names that are not properties. */
function toRequired(required: unknown, properties: JsonObject): JsonObject {
  const known = asArray(required).filter(name => typeof name === 'string' && name in properties)
  return { required: known.length > 0 ? known : undefined }
}

/** Enums may only list strings. */
function toEnum(schema: JsonObject): JsonObject {
  const values = schema.const === undefined ? asArray(schema.enum) : [schema.const]
  const texts = values
    .filter(value => value !== null)
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  return texts.length > 0 ? { type: 'string', enum: texts } : {}
}

const mapValues = (from: JsonObject, map: (value: unknown) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]))

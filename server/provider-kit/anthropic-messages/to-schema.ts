import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'

const COMBINATORS = ['allOf', 'anyOf', 'oneOf'] as const
const STRING_FORMATS: ReadonlySet<unknown> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
])
const KEPT_KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'required', 'properties', 'items', '$ref', '$defs'],
  ...COMBINATORS,
])
/** Keywords that constrain nothing, or are replaced. */
const DROPPED_KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'additionalProperties', 'definitions', 'default', 'examples'],
])

/**
 * A schema for structured output: objects are closed, and constraints that Claude does not enforce are told in the
 * description. References are kept, so the result is not much larger than the schema.
 * Source: docs.claude.com/en/docs/build-with-claude/structured-outputs
 */
export function toOutputSchema(schema: JsonObject): JsonObject {
  const definitions = { ...asObject(schema.definitions), ...asObject(schema.$defs) }
  const hasDefinitions = Object.keys(definitions).length > 0
  return { ...(hasDefinitions && { $defs: mapSchemas(definitions) }), ...convert(schema) }
}

function convert(schema: JsonObject): JsonObject {
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref.replace('#/definitions/', '#/$defs/') }
  const converted: Record<string, unknown> = {}
  const constraints: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (isKept(keyword, value))
      converted[keyword === 'oneOf' ? 'anyOf' : keyword] = convertValue(keyword, value)
    else if (!DROPPED_KEYWORDS.has(keyword)) constraints[keyword] = value
  }
  if (schema.type === 'object') {
    converted.properties ??= {}
    converted.additionalProperties = false
  }
  const note = Object.keys(constraints).length > 0 ? JSON.stringify(constraints) : undefined
  const description = [asString(schema.description), note].filter(Boolean).join('\n\n')
  return { ...converted, ...(description !== '' && { description }) }
}

function isKept(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return STRING_FORMATS.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  return KEPT_KEYWORDS.has(keyword) && keyword !== '$defs'
}

function convertValue(keyword: string, value: unknown): unknown {
  if (keyword === 'properties') return mapSchemas(asObject(value))
  if (keyword === 'items') return convertSchema(value)
  return keyword.endsWith('Of') ? asArray(value).map(convertSchema) : value
}

const convertSchema = (value: unknown): unknown => (isObject(value) ? convert(value) : value)

const mapSchemas = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convertSchema(schema)]))

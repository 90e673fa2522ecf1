import { ownEntry } from '../../core/json/json.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../json.ts'

/** What OpenAI and Claude reject at the top of a tool's schema. */
const NOT_AT_TOP = ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'not']

/**
 * The schema of a tool's arguments as a plain object. The properties of references, unions and intersections at the top become
 * its own; only those that an intersection requires stay required.
 */
export function toObjectSchema(schema: JsonObject): JsonObject {
  // Fields keep their order: the provider's cache compares texts.
  if (!NOT_AT_TOP.some(keyword => keyword in schema))
    return { ...schema, type: 'object', ...(!isObject(schema.properties) && { properties: {} }) }
  const kept = Object.entries(schema).filter(([keyword]) => !NOT_AT_TOP.includes(keyword))
  const fields: Fields = { properties: new Map(), required: new Set(), known: new Set() }
  addFields(schema, fields, { root: schema, isRequired: true })
  return {
    ...Object.fromEntries(kept),
    type: 'object',
    properties: Object.fromEntries(fields.properties),
    ...(fields.required.size > 0 && { required: [...fields.required] }),
  }
}

interface Fields {
  readonly properties: Map<string, unknown>
  readonly required: Set<unknown>
  /** Each schema is read once, so that cycles end. */
  readonly known: Set<JsonObject>
}

interface SchemaPlace {
  readonly root: JsonObject
  /** Not within one of several alternatives. */
  readonly isRequired: boolean
}

/** A schema's own properties replace those of its parts. */
function addFields(schema: JsonObject, fields: Fields, { root, isRequired }: SchemaPlace): void {
  if (fields.known.has(schema)) return
  fields.known.add(schema)
  const { allOf, anyOf, oneOf, properties, required } = schema
  if (isRequired) for (const name of asArray(required)) fields.required.add(name)
  for (const part of [findReferred(schema, root), ...asArray(allOf)])
    addFields(asObject(part), fields, { root, isRequired })
  for (const part of [anyOf, oneOf].flatMap(asArray))
    addFields(asObject(part), fields, { root, isRequired: false })
  for (const [name, property] of Object.entries(asObject(properties))) fields.properties.set(name, property)
}

/** The part of the schema that a JSON pointer names, such as `#/$defs/a~1b`. */
function findReferred({ $ref }: JsonObject, root: JsonObject): unknown {
  const [document, ...path] = asString($ref)?.split('/') ?? []
  if (document !== '#') return undefined
  const names = path.map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((found, name) => ownEntry(asObject(found), name), root)
}

/** The schema of a tool as OpenAI takes it. */
export const toToolSchema = (schema: JsonObject): JsonObject =>
  withItems(toObjectSchema(withoutNullKeywords(schema)))

/** Claude takes an object without properties and a list without items, but no tuples in their old form. */
export function toClaudeToolSchema(schema: JsonObject): JsonObject {
  const isOdd = (part: JsonObject): boolean => isOldTuple(part) || hasNullKeyword(part)
  const isTaken = schema.type === 'object' && !NOT_AT_TOP.some(keyword => keyword in schema)
  return isTaken && !hasWithin(schema, isOdd) ? schema : toToolSchema(schema)
}

/** What serializers write as null where they have nothing to say. */
const OPTIONAL_KEYWORDS = new Set([
  ...['type', 'title', 'description', 'format', 'enum', 'properties', 'required', 'items', 'prefixItems'],
  ...['additionalProperties', 'anyOf', 'oneOf', 'allOf', '$defs', '$ref', 'pattern', 'minimum', 'maximum'],
])

export const isNullKeyword = (keyword: string, value: unknown): boolean =>
  value === null && OPTIONAL_KEYWORDS.has(keyword)

const hasNullKeyword = (schema: JsonObject): boolean =>
  Object.entries(schema).some(([keyword, value]) => isNullKeyword(keyword, value))

const withoutNullKeywords = (schema: JsonObject): JsonObject =>
  hasWithin(schema, hasNullKeyword) ? asObject(omitNullKeywords(schema)) : schema

function omitNullKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNullKeywords)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([keyword, part]) => !isNullKeyword(keyword, part))
  return Object.fromEntries(kept.map(([keyword, part]) => [keyword, omitNullKeywords(part)]))
}

/** Lists say what they hold: OpenAI rejects a schema of a list without `items`, and tuples in their old form. */
const withItems = (schema: JsonObject): JsonObject =>
  hasWithin(schema, lacksItems) ? addItems(schema) : schema

const isList = ({ type }: JsonObject): boolean => type === 'array' || asArray(type).includes('array')

const lacksItems = (schema: JsonObject): boolean => isList(schema) && !isSchema(schema.items)
const isOldTuple = ({ items }: JsonObject): boolean => Array.isArray(items)

const hasWithin = (value: unknown, isFound: (schema: JsonObject) => boolean): boolean =>
  Array.isArray(value)
    ? value.some(part => hasWithin(part, isFound))
    : isObject(value) && (isFound(value) || Object.values(value).some(part => hasWithin(part, isFound)))

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean'

function addItems(schema: JsonObject): JsonObject {
  const { items } = schema
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, withItemsIn(value)] as const)
  const changed: JsonObject = Object.fromEntries(entries)
  if (!isList(schema) || isSchema(items)) return changed
  return { ...changed, ...(Array.isArray(items) && { prefixItems: changed.items }), items: {} }
}

function withItemsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withItemsIn)
  return isObject(value) ? addItems(value) : value
}

/** Parts of JSON Schemas of tools that a provider's own models know without one. */
export const textParameter = (description: string): JsonObject => ({ type: 'string', description })
export const integerParameter = (description: string): JsonObject => ({ type: 'integer', description })
export const oneOfParameter = (values: readonly string[]): JsonObject => ({ type: 'string', enum: values })
export const listParameter = (items: JsonObject, description: string): JsonObject => ({
  type: 'array',
  items,
  description,
})
export const objectParameters = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toGeminiSchema } from './to-schema.ts'

const REFERENCE = { $ref: '#/$defs/N' }
const schemaKeys = fc.constantFrom(
  '$ref',
  '$defs',
  'definitions',
  'properties',
  'items',
  'anyOf',
  'const',
  'type',
)

test('keeps the keywords of JSON Schema and drops those for editors', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: { n: { type: ['integer', 'null'], exclusiveMinimum: 0, format: 'int32' } },
    required: ['n'],
  }
  expect(toGeminiSchema({ $schema: 'x', $comment: 'y', ...schema })).toEqual(schema)
})

test('returns undefined when nothing is left of the schema', () => {
  for (const schema of [undefined, {}, { type: 'object' }, { type: 'object', properties: {} }])
    expect(toGeminiSchema(schema)).toBeUndefined()
})

test('leaves out what serializers write as null, and takes tuples of the old form', () => {
  const tuple = { type: 'array', items: [{ type: 'string' }] }
  expect(
    toGeminiSchema({ type: 'object', required: null, properties: { a: tuple, b: { default: null } } }),
  ).toEqual({
    type: 'object',
    properties: { a: { type: 'array', prefixItems: [{ type: 'string' }] }, b: { default: null } },
  })
})

test('maps const to an enum with one value of the same type', () => {
  expect(toGeminiSchema({ anyOf: [{ const: 2 }, { const: 'x' }] })).toEqual({
    anyOf: [{ enum: [2] }, { enum: ['x'] }],
  })
})

test('does not take a property called const or $ref for a keyword', () => {
  const schema = { type: 'object', properties: { const: { type: 'string' }, $ref: { type: 'string' } } }
  expect(toGeminiSchema(schema)).toEqual(schema)
})

test('keeps references without anything beside them, and calls definitions $defs', () => {
  expect(
    toGeminiSchema({
      definitions: { 'A/B': { type: 'string' } },
      properties: { a: { $ref: '#/definitions/A~1B', description: 'dropped' }, root: { $ref: '#' } },
    }),
  ).toEqual({
    $defs: { 'A/B': { type: 'string' } },
    properties: { a: { $ref: '#/$defs/A~1B' }, root: { $ref: '#' } },
  })
})

test.each([
  ['two self-references', { a: REFERENCE, b: REFERENCE }],
  ['three self-references', { a: REFERENCE, b: REFERENCE, c: REFERENCE }],
])('does not grow a schema with %s', (_, properties) => {
  const schema = { $defs: { N: { type: 'object', properties } }, properties: { root: REFERENCE } }
  expect(toGeminiSchema(schema)).toEqual(schema)
})

test('does not grow definitions that refer to each other in a diamond', () => {
  const levels = Array.from({ length: 200 }, (_, level) => {
    const next = { $ref: `#/$defs/L${level + 1}` }
    return [`L${level}`, { type: 'object', properties: { left: next, right: next } }] as const
  })
  const schema = { $defs: Object.fromEntries(levels), $ref: '#/$defs/L0' }
  expect(JSON.stringify(toGeminiSchema(schema)).length).toBe(JSON.stringify(schema).length)
})

/** What a JSON text can hold, unlike undefined. */
const JSON_VALUES = [
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
]

test('writes at most a few bytes more than it reads, for any schema', () => {
  fc.assert(
    fc.property(fc.object({ key: schemaKeys, values: JSON_VALUES, maxDepth: 8 }), schema => {
      const converted = JSON.stringify(toGeminiSchema(schema) ?? {})
      expect(converted.length).toBeLessThanOrEqual(2 * JSON.stringify(schema).length)
    }),
  )
})

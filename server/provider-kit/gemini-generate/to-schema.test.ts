import { expect, test } from 'bun:test'
import { toGeminiSchema } from './to-schema.ts'

const clean = (schema: unknown): unknown => {
  const cleaned = toGeminiSchema(schema)
  return cleaned && JSON.parse(JSON.stringify(cleaned))
}

test('drops keywords that Gemini does not support', () => {
  expect(
    clean({
      $schema: 'x',
      type: 'object',
      title: 't',
      additionalProperties: false,
      properties: { n: { type: 'integer', exclusiveMinimum: 0, minimum: 1, default: 2, format: 'int32' } },
      required: ['n', 'unknown'],
    }),
  ).toEqual({
    type: 'object',
    properties: { n: { type: 'integer', minimum: 1, format: 'int32' } },
    required: ['n'],
  })
})

test('returns undefined when nothing is left of the schema', () => {
  for (const schema of [undefined, {}, { type: 'object' }, { type: 'object', properties: {} }])
    expect(clean(schema)).toBeUndefined()
})

test('maps null to nullable and const to an enum with one value', () => {
  expect(clean({ type: ['string', 'null'], format: 'email' })).toEqual({ type: 'string', nullable: true })
  expect(clean({ const: 5 })).toEqual({ type: 'string', enum: ['5'] })
  expect(clean({ type: 'integer', enum: [1, null, 'b'] })).toEqual({ type: 'string', enum: ['1', 'b'] })
})

test('inlines references and truncates a recursive schema', () => {
  const tree = { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } }
  expect(clean({ $defs: { a: { type: 'string' } }, type: 'array', items: { $ref: '#/$defs/a' } })).toEqual({
    type: 'array',
    items: { type: 'string' },
  })
  expect(JSON.stringify(clean({ $defs: { tree }, ...tree })).length).toBeLessThan(2_000)
})

test('merges allOf and turns oneOf into anyOf', () => {
  expect(
    clean({
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { oneOf: [{ type: 'string' }, { type: 'number' }] } } },
      ],
    }),
  ).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    required: ['a'],
  })
})

import { expect, test } from 'bun:test'
import { toOutputSchema } from './to-schema.ts'

test('closes every object of an output schema and tells other constraints in the description', () => {
  expect(
    toOutputSchema({
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'In years.', minimum: 0, maximum: 150 },
        mail: { type: 'string', format: 'email', maxLength: 80 },
        tags: { type: 'array', minItems: 2, items: { type: 'object', additionalProperties: true } },
      },
      required: ['age'],
    }),
  ).toEqual({
    type: 'object',
    properties: {
      age: { type: 'integer', description: 'In years.\n\n{"minimum":0,"maximum":150}' },
      mail: { type: 'string', format: 'email', description: '{"maxLength":80}' },
      tags: {
        type: 'array',
        items: { type: 'object', properties: {}, additionalProperties: false },
        description: '{"minItems":2}',
      },
    },
    required: ['age'],
    additionalProperties: false,
  })
})

test('keeps references, calls definitions $defs and oneOf anyOf', () => {
  expect(
    toOutputSchema({
      definitions: { Node: { type: 'object', properties: { next: { $ref: '#/definitions/Node' } } } },
      oneOf: [{ $ref: '#/definitions/Node' }, { const: 'none' }],
    }),
  ).toEqual({
    $defs: {
      Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } }, additionalProperties: false },
    },
    anyOf: [{ $ref: '#/$defs/Node' }, { const: 'none' }],
  })
})

test('does not take a property called minimum for a constraint', () => {
  const schema = { type: 'object', properties: { minimum: { type: 'number' } } }
  expect(toOutputSchema(schema)).toEqual({ ...schema, additionalProperties: false })
})

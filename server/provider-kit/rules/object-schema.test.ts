import { expect, test } from 'bun:test'
import { toClaudeToolSchema, toObjectSchema, toToolSchema } from './object-schema.ts'

const STRING = { type: 'string' }
const A = { type: 'object', properties: { a: STRING }, required: ['a'] }
const B = { type: 'object', properties: { b: STRING }, required: ['b'] }
const BOTH = { a: STRING, b: STRING }

test.each([
  ['anyOf', ['own']],
  ['oneOf', ['own']],
  ['allOf', ['own', 'part']],
])('merges the parts of %s at the top of a tool schema', (combinator, required) => {
  const part = { properties: { part: { type: 'string' } }, required: ['part'] }
  expect(
    toObjectSchema({ properties: { own: { type: 'number' } }, required: ['own'], [combinator]: [part] }),
  ).toEqual({
    type: 'object',
    properties: { own: { type: 'number' }, part: { type: 'string' } },
    required,
  })
})

test('gives a tool schema without properties an empty list of them', () => {
  expect(toObjectSchema({ type: 'object' })).toEqual({ type: 'object', properties: {} })
})

test.each<[string, object, object]>([
  ['nothing', {}, { type: 'object', properties: {} }],
  ['another type', { type: ['object', 'null'], properties: BOTH }, { type: 'object', properties: BOTH }],
  [
    'a union of references',
    { $defs: { A, 'b/c': B }, anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/b~1c' }] },
    { $defs: { A, 'b/c': B }, type: 'object', properties: BOTH },
  ],
  [
    'a reference',
    { definitions: { A }, $ref: '#/definitions/A' },
    { definitions: { A }, type: 'object', properties: { a: STRING }, required: ['a'] },
  ],
  ['unions in unions', { oneOf: [{ anyOf: [A, { allOf: [B] }] }] }, { type: 'object', properties: BOTH }],
  [
    'a reference to itself',
    { $ref: '#', properties: { a: STRING } },
    { type: 'object', properties: { a: STRING } },
  ],
  [
    'a reference to another document',
    { $ref: 'https://a.example/b.json' },
    { type: 'object', properties: {} },
  ],
  ['values', { ...A, enum: [{ a: 'x' }], not: B }, A],
])('a tool schema is an object of its own, also with %s at the top', (_, schema, expected) => {
  expect(toObjectSchema({ ...schema })).toEqual({ ...expected })
})

test('a cycle of references ends', () => {
  const schema = {
    $defs: { A: { anyOf: [{ $ref: '#/$defs/B' }, A] }, B: { allOf: [{ $ref: '#/$defs/A' }, B] } },
    $ref: '#/$defs/A',
  }
  expect(toObjectSchema(schema)).toMatchObject({ type: 'object', properties: BOTH })
})

test.each([toToolSchema, toClaudeToolSchema])(
  '%p leaves out keywords of null, and keeps values of null',
  toSchema => {
    const inner = { type: 'string', enum: ['a', null], default: null }
    expect(
      toSchema({
        type: 'object',
        required: null,
        properties: { a: { ...inner, description: null }, b: null },
      }),
    ).toEqual({ type: 'object', properties: { a: inner, b: null } })
    expect(toSchema({ type: 'object', properties: null })).toEqual({ type: 'object', properties: {} })
  },
)

test.each<[string, object, object]>([
  ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
  ['a list or nothing', { type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
  [
    'a tuple of the old form',
    { type: 'array', items: [STRING, A] },
    { type: 'array', prefixItems: [STRING, A], items: {} },
  ],
  ['a tuple', { type: 'array', prefixItems: [STRING] }, { type: 'array', prefixItems: [STRING], items: {} }],
  [
    'a list of lists',
    { type: 'array', items: { type: 'array' } },
    { type: 'array', items: { type: 'array', items: {} } },
  ],
])('says what is in %s, wherever it is', (_, list, expected) => {
  const around = (inner: object) => ({
    type: 'object',
    properties: { p: { anyOf: [STRING, inner] } },
    $defs: { D: inner },
  })
  expect(toToolSchema(around(list))).toEqual(around(expected))
})

test('a schema that says so already stays as it is', () => {
  const schema = { ...A, properties: { type: STRING, list: { type: 'array', items: STRING } } }
  expect(JSON.stringify(toToolSchema(schema))).toBe(JSON.stringify(schema))
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { accepts } from './accepts.ts'

const Part = z
  .looseObject({ type: z.string(), text: z.string().optional() })
  .refine(part => part.type !== 'text' || part.text !== undefined)
const Body = z.looseObject({
  model: z.string().max(5),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['user', 'system']),
        content: z.union([z.string(), z.array(Part)]).nullish(),
      }),
    )
    .min(1)
    .max(2),
  limit: z.int().min(0).max(8).nullish(),
  heat: z.number().gt(0).lt(2).optional(),
  stream: z.boolean().nullable(),
  kind: z.literal('a').optional(),
  rest: z.unknown().optional(),
})

const BODY = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'other' }] }],
  limit: 8,
  heat: 1.5,
  stream: null,
  kind: 'a',
  unknown: [1],
}

/** Values of every type, including those at the limits. */
const anything = fc.oneof(
  fc.constantFrom(undefined, null, true, '', 'm', 'a', 'toolong', 'user', 'text', Number.NaN, -0, 2, 8, 9),
  fc.constantFrom(1e300, Number.POSITIVE_INFINITY, 2 ** 53, 0.5, -1),
  fc.constantFrom([], {}, [{ type: 'text' }], [{ role: 'system' }], [{ role: 'user', content: 'x' }]),
  fc.jsonValue(),
)

test('accepts exactly the bodies that the schema accepts', () => {
  const fields = fc.constantFrom(...Object.keys(BODY), 'rest')
  fc.assert(
    fc.property(fc.array(fc.tuple(fields, anything), { maxLength: 2 }), changes => {
      const body = { ...BODY, ...Object.fromEntries(changes) }
      expect(accepts(Body, body)).toBe(Body.safeParse(body).success)
    }),
    { numRuns: 2000 },
  )
})

test('checks lists and their elements', () => {
  const partOf = (part: object) => ({ ...BODY, messages: [{ role: 'user', content: [part] }] })
  expect(accepts(Body, partOf({ type: 'text', text: 'x' }))).toBe(true)
  expect(accepts(Body, partOf({ type: 'text' }))).toBe(false)
  expect(accepts(Body, partOf({ type: 7 }))).toBe(false)
  expect(accepts(Body, { ...BODY, messages: [...BODY.messages, ...BODY.messages, ...BODY.messages] })).toBe(
    false,
  )
})

test.each([
  ['a conversion', z.coerce.string(), 'x'],
  ['a format', z.email(), 'a@b.example'],
  ['a pattern', z.string().regex(/x/), 'x'],
  ['fields that are closed', z.object({}), {}],
  ['a default', z.string().default('x'), 'x'],
  ['a record', z.record(z.string(), z.unknown()), {}],
  ['a change', z.string().transform(text => text), 'x'],
])('leaves %s to the schema', (_, schema, value) => {
  expect(schema.safeParse(value).success).toBe(true)
  expect(accepts(schema, value)).toBe(false)
})

test('reads a schema that holds itself', () => {
  const Tree = z.looseObject({
    get branch() {
      return Tree.optional()
    },
  })
  expect(accepts(Tree, { branch: { branch: {} } })).toBe(true)
  expect(accepts(Tree, { branch: { branch: 7 } })).toBe(false)
})

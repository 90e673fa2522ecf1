import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { findFirstProblem } from './first-problem.ts'

const Part = z.looseObject({ type: z.string(), url: z.url().optional() })
const Body = z.looseObject({
  model: z.string().max(9),
  list: z.array(z.union([z.string(), z.array(Part).max(3)], { error: 'a text or parts' })).min(1),
  limit: z.int().min(0).nullish(),
})
const BODY = { model: 'm', list: ['a', [{ type: 'x', url: 'http://a.example' }]] }

test('finds a problem exactly where zod does', () => {
  const parts = fc.array(
    fc.oneof(
      fc.record({ type: fc.oneof(fc.string(), fc.nat()), url: fc.constantFrom('http://a.example', 'a', 7) }),
    ),
    { maxLength: 5 },
  )
  const bodies = fc.record({
    model: fc.oneof(fc.string({ maxLength: 12 }), fc.constant(null)),
    list: fc.array(fc.oneof(fc.string(), parts, fc.nat()), { maxLength: 3 }),
    limit: fc.oneof(fc.nat(), fc.double(), fc.constant(null), fc.constant('1')),
  })
  fc.assert(
    fc.property(bodies, body => {
      expect(findFirstProblem(Body, body) === undefined).toBe(Body.safeParse(body).success)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  [{ ...BODY, list: [] }, ['list'], 'at least 1'],
  [{ ...BODY, list: [7] }, ['list', 0], 'a text or parts'],
  [{ ...BODY, list: [[{}, {}, {}, {}]] }, ['list', 0], 'at most 3'],
  [{ ...BODY, list: ['a', [{ type: 'x' }, { type: 7 }]] }, ['list', 1, 1, 'type'], 'string'],
  [{ ...BODY, limit: -1 }, ['limit'], 'at least 0'],
])('describes the first problem of %j', (body, path, needed) => {
  const problem = findFirstProblem(Body, body)
  expect({ path: problem?.path, needed: problem?.needed.en }).toEqual({ path, needed })
})

test('names a key that differs only by case from a field, or from another key, at every level', () => {
  for (const [body, key] of [
    [{ ...BODY, Model: 'dear' }, 'Model'],
    [{ ...BODY, MODEL: 'dear' }, 'MODEL'],
    [{ ...BODY, 'li\u017ft': [] }, 'li\u017ft'],
    [{ ...BODY, other: 1, Other: 2 }, 'Other'],
    [{ ...BODY, list: [[{ type: 'x', URL: 'b' }]] }, 'URL'],
  ] as const)
    expect(findFirstProblem(Body, body)?.path.at(-1)).toBe(key)
  expect(findFirstProblem(Body, { ...BODY, models: 1, metadata: { a: 1, A: 2 } })).toBeUndefined()
})

test('stops at the first of two hundred thousand problems', () => {
  const body = { ...BODY, list: Array.from({ length: 200_000 }, () => 7) }
  const startedMs = performance.now()
  expect(findFirstProblem(Body, body)?.path).toEqual(['list', 0])
  expect(performance.now() - startedMs).toBeLessThan(100)
})

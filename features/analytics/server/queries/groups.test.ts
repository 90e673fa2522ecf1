import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addSketchText, bucketOf, RELATIVE_ERROR } from '#server/core/sketch.ts'
import { quantile } from './groups.ts'

const sketchOf = (values: readonly number[]): Map<number, number> => {
  const sketch = new Map<number, number>()
  addSketchText(sketch, values.map(bucketOf).join(','))
  return sketch
}

const durations = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 300 })

test('is within two percent of the exact quantile', () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0.01, 0.5, 0.95, 1), (values, share) => {
      const sorted = values.toSorted((a, b) => a - b)
      const exact = sorted[Math.ceil(share * values.length) - 1] ?? 0
      const found = quantile(sketchOf(values), share) ?? 0
      expect(Math.abs(found - exact) / exact).toBeLessThanOrEqual(RELATIVE_ERROR + 1e-9)
    }),
  )
})

test('has no quantile without values', () => {
  expect(quantile(new Map(), 0.5)).toBeUndefined()
})

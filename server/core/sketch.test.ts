import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addSketchText, bucketOf, quantile, RELATIVE_ERROR, toSketchText } from './sketch.ts'

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

test('merges texts into the sketch of all values, in any order', () => {
  fc.assert(
    fc.property(durations, durations, (a, b) => {
      const merged = new Map<number, number>()
      addSketchText(merged, toSketchText(sketchOf(b)))
      addSketchText(merged, toSketchText(sketchOf(a)))
      expect(toSketchText(merged)).toBe(toSketchText(sketchOf([...a, ...b])))
    }),
  )
})

test('has no quantile without values, and bounds very small and very large ones', () => {
  expect(quantile(new Map(), 0.5)).toBeUndefined()
  expect(bucketOf(0)).toBe(bucketOf(1))
  expect(bucketOf(1e300)).toBe(bucketOf(43_200_000))
  const sketch = new Map<number, number>()
  addSketchText(sketch, '')
  addSketchText(sketch, 'x,1:y,7')
  expect([...sketch]).toEqual([[7, 1]])
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addSketchText, bucketOf, toSketchText } from './sketch.ts'

const sketchOf = (values: readonly number[]): Map<number, number> => {
  const sketch = new Map<number, number>()
  addSketchText(sketch, values.map(bucketOf).join(','))
  return sketch
}

const durations = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 300 })

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

test('bounds very small and very large ones', () => {
  expect(bucketOf(0)).toBe(bucketOf(1))
  expect(bucketOf(1e300)).toBe(bucketOf(43_200_000))
  const sketch = new Map<number, number>()
  addSketchText(sketch, '')
  addSketchText(sketch, 'x,1:y,7')
  expect([...sketch]).toEqual([[7, 1]])
})

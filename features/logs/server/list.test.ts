import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toSlices } from './list.ts'

const HOUR = 3600

/** Parts of a range and the times of their rows, both newest first. */
const someLog = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 40 }).map(counts => {
  const parts = counts.map((count, index) => ({
    from: (counts.length - index) * HOUR,
    until: (counts.length - index + 1) * HOUR,
    count,
  }))
  const rows = parts.flatMap(({ until, count }) => Array.from({ length: count }, (_, i) => until - 1 - i))
  return { parts, rows }
})

test('slices the hours into the same page as the whole range', () => {
  fc.assert(
    fc.property(
      someLog,
      fc.nat(12_000),
      fc.integer({ min: 1, max: 100 }),
      ({ parts, rows }, offset, limit) => {
        const slices = toSlices(parts, { offset, limit })
        const found = slices.flatMap(slice =>
          rows
            .filter(time => time >= slice.range.from && time < slice.range.until)
            .slice(slice.offset, slice.offset + slice.limit),
        )
        expect(found).toEqual(rows.slice(offset, offset + limit))
        expect(slices.length).toBeLessThanOrEqual(limit)
      },
    ),
  )
})

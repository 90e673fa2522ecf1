import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { narrowed } from './page-of-logs.ts'

const HOUR = 3600

/** Rows newest first, as times; each part of the range with the number of its rows. */
const someLog = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 40 }).map(counts => {
  const parts = counts.map((count, index) => ({
    from: (counts.length - index) * HOUR,
    until: (counts.length - index + 1) * HOUR,
    count,
  }))
  return {
    parts,
    rows: parts.flatMap(({ from, count }) => Array.from({ length: count }, (_, i) => from + HOUR - 1 - i)),
  }
})

test('the narrowed span and offset find the same rows as the whole range does', () => {
  fc.assert(
    fc.property(
      someLog,
      fc.nat(40_000),
      fc.integer({ min: 1, max: 100 }),
      ({ parts, rows }, offset, limit) => {
        const whole = { from: 0, until: 1e6 }
        const { span, offset: inner } = narrowed(whole, { offset, limit }, parts)
        const found = rows.filter(time => time >= span.from && time < span.until).slice(inner, inner + limit)
        expect(found).toEqual(rows.slice(offset, offset + limit))
        if (found.length > 0) expect(inner).toBeLessThanOrEqual(1000)
      },
    ),
  )
})

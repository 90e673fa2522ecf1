import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { completionTokens, promptTokens, usageFromTotals } from './usage.ts'

test('splits totals into buckets that add up to them, whatever the parts claim', () => {
  const count = fc.nat(10_000)
  const totals = fc.record({
    prompt: count,
    cachedInput: count,
    cacheWrite: count,
    audioInput: count,
    completion: fc.integer({ min: 1, max: 10_000 }),
    reasoning: count,
    audioOutput: count,
  })
  fc.assert(
    fc.property(totals, given => {
      const usage = usageFromTotals(given)
      expect(usage && promptTokens(usage)).toBe(given.prompt)
      expect(usage && completionTokens(usage)).toBe(given.completion)
      expect(Math.min(...Object.values(usage ?? {}))).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('treats two totals of 0 as missing usage', () => {
  expect(usageFromTotals({ prompt: 0, completion: 0, cachedInput: 5 })).toBeUndefined()
})

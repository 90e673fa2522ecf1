import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { groupLines } from './bill-lines.ts'

const figures = {
  requests: 0,
  errors: 0,
  quota: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  audio_input_tokens: 0,
  image_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  audio_output_tokens: 0,
}
const NAMES = { nameOf: ({ name }: { readonly name: string }) => name, other: 'other' }

const group = (name: string, plan: string, of: Partial<typeof figures>) => ({
  ...{ name, value: name, second_value: plan },
  figures: { ...figures, ...of },
})

test('has the charges by group, largest first, and what plans paid beside them', () => {
  const { charges, covered } = groupLines(
    [
      group('Anna', '', {
        requests: 3,
        errors: 1,
        quota: 10,
        input_tokens: 5,
        cached_input_tokens: 2,
        output_tokens: 4,
      }),
      group('Bert', '', { requests: 1, quota: 30 }),
      group('Anna', 'Pro', { requests: 2, quota: 50 }),
      group('Carl', '', { requests: 4, errors: 4 }),
    ],
    { charged: 40, requests: 3 },
    NAMES,
  )
  expect(charges).toEqual([
    { id: 'Bert ', name: 'Bert', plan: '', requests: 1, inputTokens: 0, outputTokens: 0, amount: 30 },
    { id: 'Anna ', name: 'Anna', plan: '', requests: 2, inputTokens: 7, outputTokens: 4, amount: 10 },
  ])
  expect(covered).toEqual([
    { id: 'Anna Pro', name: 'Anna', plan: 'Pro', requests: 2, inputTokens: 0, outputTokens: 0, amount: 50 },
  ])
})

test('adds up to the charges of the bill whatever the groups have counted', () => {
  const someGroup = fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', 'Pro'), fc.nat(1000), fc.nat(9))
    .map(([name, plan, quota, requests]) => group(name, plan, { quota, requests }))
  fc.assert(
    fc.property(fc.array(someGroup), fc.nat(5000), fc.nat(50), (groups, charged, requests) => {
      const { charges, covered } = groupLines(groups, { charged, requests }, NAMES)
      expect(charges.reduce((sum, { amount }) => sum + amount, 0)).toBe(charged)
      expect(charges.every(({ plan, requests: count }) => plan === '' && count >= 0)).toBe(true)
      expect(covered.every(({ plan }) => plan !== '')).toBe(true)
    }),
  )
})

import { expect, test } from 'bun:test'
import type { Provider } from '../../server/provider-kit/contract/provider.ts'
import type { VendorFixtures } from './vendor-fixtures.ts'

/** Adds the tests of a vendor that counts tokens without charge: its recorded counts, in every dialect in which it counts. */
export function checkTokenCount({ tokenCount }: Provider, fixtures: VendorFixtures): void {
  const files = [...fixtures.expectations].filter(([, expected]) => 'tokens' in expected)
  const exchanges = Object.values(tokenCount ?? {})
  if (exchanges.length > 0) test('a recorded count of tokens is there', () => expect(files).not.toEqual([]))
  for (const [file, { model = 'MODEL', tokens = 0 }] of files)
    test(`reads ${file}`, () => {
      const read = exchanges.map(exchange => exchange.reply(fixtures.json(file), fixtures.callOf({}, model)))
      expect(read).toEqual(exchanges.map(() => ({ kind: 'reply', reply: tokens })))
      expect(read).not.toEqual([])
    })
}

import { expect, test } from 'bun:test'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import type { ProviderFixtures } from './provider-fixtures.ts'

/** Adds the tests of a provider with free token counting: its recorded counts, in every dialect that it supports. */
export function checkTokenCount({ tokenCount }: Provider, fixtures: ProviderFixtures): void {
  const files = [...fixtures.expectations].filter(([, expected]) => 'tokens' in expected)
  const adapters = Object.values(tokenCount ?? {})
  if (adapters.length > 0) test('has a token count fixture', () => expect(files).not.toEqual([]))
  for (const [file, { model = 'MODEL', tokens = 0 }] of files)
    test(`reads ${file}`, () => {
      const read = adapters.map(adapter => adapter.reply(fixtures.json(file), fixtures.callOf({}, model)))
      expect(read).toEqual(adapters.map(() => ({ kind: 'reply', reply: tokens })))
      expect(read).not.toEqual([])
    })
}

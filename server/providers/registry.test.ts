import { expect, test } from 'bun:test'
import { defineProvider } from '../provider-kit/contract/provider.ts'
import { createRegistry } from './registry.ts'

const providerModule = (type: number, name: string) => ({
  provider: defineProvider({ type, name, baseUrl: '', models: [] }),
})

test('finds providers by type and lists them in order', () => {
  const registry = createRegistry(
    new Map([
      ['b', providerModule(9, 'B')],
      ['a', providerModule(2, 'A')],
    ]),
  )
  expect(registry.byType(9)?.name).toBe('B')
  expect(registry.byType(3)).toBeUndefined()
  expect(registry.all().map(({ type }) => type)).toEqual([2, 9])
})

test('rejects two providers with the same type', () => {
  const modules = new Map([
    ['a', providerModule(2, 'A')],
    ['b', providerModule(2, 'B')],
  ])
  expect(() => createRegistry(modules)).toThrow('A and B both have the channel type 2')
})

test('rejects a folder that exports no provider', () => {
  expect(() => createRegistry(new Map([['a', { provider: { name: 'A' } }]]))).toThrow('providers/a/index.ts')
})

test('rejects a base URL that ends in a slash', () => {
  expect(() => defineProvider({ type: 1, name: 'A', baseUrl: 'https://a.example/', models: [] })).toThrow(
    'slash',
  )
})

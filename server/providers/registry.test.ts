import { expect, test } from 'bun:test'
import { loadProviders } from '../compose/modules.ts'
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

test('knows keys of these forms by exactly one provider', async () => {
  const providers = createRegistry(await loadProviders()).all()
  const long = 'x0'.repeat(20)
  const keys = {
    OpenAI: [`sk-proj-${long}`, `sk-svcacct-${long}`, `sk-${'x'.repeat(20)}T3BlbkFJ${'x'.repeat(20)}`],
    'Anthropic Claude': [`sk-ant-api03-${long}`],
    'Google Gemini': [`AIza${'x'.repeat(35)}`],
    OpenRouter: [`sk-or-v1-${long}`],
    xAI: [`xai-${long}`],
    Perplexity: [`pplx-${long}`],
    Jina: [`jina_${long}`],
    Dify: [`app-${long}`],
    Coze: [`pat_${long}`],
    'Zhipu GLM-4V': [`${'0a'.repeat(16)}.${'x'.repeat(16)}`],
    'Baidu Qianfan V2': [`bce-v3/ALTAK-${long}/${long}`],
    // Several providers issue keys of these forms.
    '': [`sk-${long}`, 'f0'.repeat(16), long, 'sk-proj-short'],
  }
  const found = Object.values(keys).map(of =>
    of.map(key =>
      providers
        .filter(({ keyPattern }) => keyPattern?.test(key))
        .map(({ name }) => name)
        .join(),
    ),
  )
  expect(found).toEqual(Object.entries(keys).map(([name, of]) => of.map(() => name)))
})

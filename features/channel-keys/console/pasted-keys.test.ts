import { expect, test } from 'bun:test'
import type { ChannelType } from '#features/channels/contract/channels.ts'
import { keysOf, modelsToOffer, recognizeType, shortKey, toDrafts } from './pasted-keys.ts'

const provider = (type: number, fields: Partial<ChannelType>): ChannelType => ({
  type,
  name: `Provider ${type}`,
  name_zh: '',
  popularity: 'common',
  base_url: '',
  key_hint: '',
  key_pattern: '',
  models: [],
  operations: [],
  can_list_models: true,
  can_query_balance: false,
  form: { base_url: 'optional', key: 'text', has_organization: false },
  ...fields,
})
const OPENAI = provider(1, { name: 'OpenAI', key_pattern: '^sk-proj-\\w{4}', models: ['new', 'old'] })
const CLAUDE = provider(14, { name: 'Claude', key_pattern: '^sk-ant-\\w{4}' })
const TYPES = [OPENAI, CLAUDE, provider(9, {})]

test('splits pasted text into distinct keys', () => {
  expect(keysOf('')).toEqual([])
  expect(keysOf(' a1 \n\nb2,a1；c3\r\n')).toEqual(['a1', 'b2', 'c3'])
})

test('shows too little of a key to use it', () => {
  expect(shortKey('short-key')).toBe('…')
  expect(shortKey('sk-proj-0123456789abcdef')).toBe('sk-proj-…cdef')
})

test('knows a provider by the form of its keys, and no provider of other keys', () => {
  expect(recognizeType('sk-ant-abcd', TYPES)).toBe(CLAUDE)
  expect(recognizeType('sk-0123456789', TYPES)).toBeUndefined()
})

test.each<[string, Partial<ChannelType>]>([
  ['whose keys another provider issues too', { key_pattern: '^sk-' }],
  [
    'that needs an address',
    { key_pattern: '^xy-', form: { base_url: 'required', key: 'text', has_organization: false } },
  ],
  [
    'that takes a document',
    { key_pattern: '^xy-', form: { base_url: 'optional', key: 'json', has_organization: false } },
  ],
])('chooses no provider %s', (_, fields) => {
  expect(recognizeType('sk-ant-abcd', [CLAUDE, provider(2, fields)])).toBe(
    fields.key_pattern === '^sk-' ? undefined : CLAUDE,
  )
  expect(recognizeType('xy-abcd', [CLAUDE, provider(2, fields)])).toBeUndefined()
})

test('offers the current models that the account has, newest first', () => {
  expect(modelsToOffer(OPENAI, ['other', 'old', 'new'])).toEqual(['new', 'old'])
  expect(modelsToOffer(OPENAI, ['old'])).toEqual(['old'])
  expect(modelsToOffer(OPENAI, ['fine-tuned'])).toEqual(['fine-tuned'])
  expect(modelsToOffer(OPENAI, [])).toEqual(['new', 'old'])
})

test('names channels after their providers and takes the list price as purchase price', () => {
  const drafts = toDrafts([
    { key: 'a', type: OPENAI, models: ['new', 'old'] },
    { key: 'b', type: CLAUDE, models: ['claude'] },
    { key: 'c', type: OPENAI, models: ['new'] },
  ])
  expect(drafts.map(({ name, type, key, models }) => [name, type, key, models])).toEqual([
    ['OpenAI', 1, 'a', 'new,old'],
    ['Claude', 14, 'b', 'claude'],
    ['OpenAI 2', 1, 'c', 'new'],
  ])
  expect(drafts.map(({ setting }) => setting)).toEqual(Array(3).fill('{"purchase_factor":1}'))
})

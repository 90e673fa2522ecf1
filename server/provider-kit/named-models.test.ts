import { expect, test } from 'bun:test'
import { readRequestedTerms } from './hosted-tools.ts'
import type { JsonObject } from './json.ts'

const namesOf = (body: JsonObject) => {
  const { otherModels = [], mentions = [] } = readRequestedTerms(body, 'own')
  return { named: otherModels.map(({ name }) => name), mentions }
}

test.each<[JsonObject, string[], string[]]>([
  [{ model: 'own', models: ['own', 'other'] }, ['other'], []],
  [{ route: 'other' }, [], ['other']],
  [{ route: 'models/other' }, [], ['other']],
  [
    { a: [{ b: [{ c: [{ d: [{ e: [{ f: { model: 'other' } }] }] }] }] }] },
    ['other'],
    ['a', 'b', 'c', 'd', 'e', 'f'],
  ],
  [{ input: [{ type: 'additional_tools', tools: [{ type: 'x', model: 'other' }] }] }, ['other'], ['x']],
  [{ model: 'models/other', contents: [] }, [], ['other']],
  [{ input: { transcription: { model: 'other' } } }, ['other'], ['transcription']],
  [{ routing: { name: 'other' } }, [], ['routing', 'other']],
  [{ a: { other: 1 } }, [], ['a', 'other']],
  [{ route: 'x,other' }, [], ['x', 'other']],
  [{ route: '{"m":"other"}' }, [], ['m', ':', 'other']],
  [{ response_format: { other: {}, json_schema: { name: 'other' } } }, [], ['other']],
  [{ tools: [{ type: 'function', function: { name: 'other', description: 'other' } }] }, [], ['function']],
  [{ name: 'other', stop: ['other'], suffix: 'other', labels: { other: 'other' } }, [], []],
  [{ route: 'x'.repeat(101) }, [], []],
  [{ messages: [{ model: 'other' }], metadata: { model: 'other' }, user: 'other' }, [], []],
])('reads the models beside its own from %j', (body, named, mentions) => {
  expect(namesOf(body)).toEqual({ named, mentions })
})

test('takes sixteen named models and a thousand texts, and no more', () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`)
  expect(namesOf({ models: list(16) }).named).toHaveLength(16)
  expect(() => namesOf({ models: list(17) })).toThrow('at most 16 other models')
  expect(namesOf({ words: list(999) }).mentions).toHaveLength(1_000)
  expect(() => namesOf({ words: list(1_000) })).toThrow('at most 1000 short texts')
})

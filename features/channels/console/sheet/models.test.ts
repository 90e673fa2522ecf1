import { describe, expect, test } from 'bun:test'
import { diffModels, modelFamily, parseModelNames } from './models.ts'

test('takes the name before the first digit as the family of a model', () => {
  const names = [
    'gpt-4o-mini',
    'gpt-4',
    'claude-sonnet-4-5',
    'o3-mini',
    'gemini-2.5-pro',
    'lab',
    'meta/llama-3-8b',
  ]
  expect(names.map(modelFamily)).toEqual(['gpt', 'gpt', 'claude-sonnet', 'o', 'gemini', 'lab', 'llama'])
})

describe('comparison with the models of the provider', () => {
  test('lists added, kept and removed models', () => {
    expect(diffModels(['a', 'b'], ['b', 'd', 'c'], new Set())).toEqual({
      added: ['c', 'd'],
      kept: ['b'],
      removed: ['a'],
    })
  })

  test('keeps a mapped name that the provider does not offer', () => {
    expect(diffModels(['mine'], ['gpt-4o'], new Set(['mine'])).removed).toEqual([])
  })
})

test('adds new typed names and rejects only repeated ones', () => {
  expect(parseModelNames(' a, b，c\nd , a', ['b'])).toEqual({ added: ['a', 'c', 'd'], repeated: ['b'] })
})

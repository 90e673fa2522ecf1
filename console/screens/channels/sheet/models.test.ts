import { describe, expect, test } from 'bun:test'
import { diffModels, modelFamily, parseModelNames } from './models.ts'

test('a family is the name up to its first figure', () => {
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

describe('the difference to the vendor', () => {
  test('names what is new, what stays and what is gone', () => {
    expect(diffModels(['a', 'b'], ['b', 'd', 'c'], new Set())).toEqual({
      added: ['c', 'd'],
      kept: ['b'],
      removed: ['a'],
    })
  })

  test('a name that is mapped to another is not gone, though the vendor does not know it', () => {
    expect(diffModels(['mine'], ['gpt-4o'], new Set(['mine'])).removed).toEqual([])
  })
})

test('of typed names only the repeated ones are rejected, the others are added', () => {
  expect(parseModelNames(' a, b，c\nd , a', ['b'])).toEqual({ added: ['a', 'c', 'd'], repeated: ['b'] })
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createWordSearch } from './word-search.ts'

test('finds a word anywhere in any case and returns it as it was listed', () => {
  const search = createWordSearch(['Forbidden', '禁词'])
  expect(search.find('this is fORBIDDEN here')).toBe('Forbidden')
  expect(search.find('一个禁词。')).toBe('禁词')
  expect(search.find('forbid')).toBeUndefined()
})

test('ignores the case of letters with a final form, a ligature, or only one case', () => {
  const search = createWordSearch(['οδός', 'straße', 'ĳs'])
  expect(search.find('ΟΔΌΣ')).toBe('οδός')
  expect(search.find('STRAßE')).toBe('straße')
  expect(search.find('ĲS')).toBe('ĳs')
})

test('finds nothing when no word or only an empty word is listed', () => {
  for (const words of [[], ['']]) expect(createWordSearch(words).find('anything')).toBeUndefined()
})

test('finds a word that begins inside a failed match of another', () => {
  expect(createWordSearch(['abcd', 'bce']).find('abce')).toBe('bce')
  expect(createWordSearch(['aab', 'ab']).find('aaab')).toBe('aab')
  expect(createWordSearch(['she', 'he']).find('ushers')).toBe('she')
})

test('finds a word exactly when the text contains one', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 })
  const wordLists = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }))
  fc.assert(
    fc.property(wordLists, texts, (words, text) => {
      const found = createWordSearch(words).find(text)
      expect(found !== undefined).toBe(words.some(word => text.includes(word)))
      if (found !== undefined) expect(text).toContain(found)
    }),
  )
})

test('finds a word in a text that is given in parts, wherever they end', () => {
  const text = 'some text with a Forbidden word'
  for (let at = 0; at <= text.length; at += 1) {
    const search = createWordSearch(['forbidden']).begin()
    expect(search.next(text.slice(0, at)) ?? search.next(text.slice(at))).toBe('forbidden')
  }
})

test('searches for ten thousand words in one pass over the text', () => {
  const search = createWordSearch(Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(50)}${index}`))
  const startedMs = performance.now()
  expect(search.find('a'.repeat(1_000_000))).toBeUndefined()
  expect(performance.now() - startedMs).toBeLessThan(2000)
})

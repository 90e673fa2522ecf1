import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openWordSearch } from './word-search.ts'

test('finds a word anywhere, whatever the case, and gives it as it was listed', () => {
  const search = openWordSearch(['Forbidden', '禁词'])
  expect(search.find('this is fORBIDDEN here')).toBe('Forbidden')
  expect(search.find('一个禁词。')).toBe('禁词')
  expect(search.find('forbid')).toBeUndefined()
})

test('whatever the case of letters that look different where they end a word, or are written in one only', () => {
  const search = openWordSearch(['οδός', 'straße', 'ĳs'])
  expect(search.find('ΟΔΌΣ')).toBe('οδός')
  expect(search.find('STRAßE')).toBe('straße')
  expect(search.find('ĲS')).toBe('ĳs')
})

test('no words are never found', () => {
  for (const words of [[], ['']]) expect(openWordSearch(words).find('anything')).toBeUndefined()
})

test('finds a word that begins inside the failed beginning of another', () => {
  expect(openWordSearch(['abcd', 'bce']).find('abce')).toBe('bce')
  expect(openWordSearch(['aab', 'ab']).find('aaab')).toBe('aab')
  expect(openWordSearch(['she', 'he']).find('ushers')).toBe('she')
})

test('finds something exactly when some word is part of the text', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 })
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }))
  fc.assert(
    fc.property(words, letters, (listed, text) => {
      const found = openWordSearch(listed).find(text)
      expect(found !== undefined).toBe(listed.some(word => text.includes(word)))
      if (found !== undefined) expect(text).toContain(found)
    }),
  )
})

test('ten thousand words take no longer to look for than one pass over the text', () => {
  const search = openWordSearch(Array.from({ length: 10_000 }, (_, index) => `${'a'.repeat(50)}${index}`))
  const startedMs = performance.now()
  expect(search.find('a'.repeat(1_000_000))).toBeUndefined()
  expect(performance.now() - startedMs).toBeLessThan(2000)
})

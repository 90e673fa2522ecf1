import { expect, test } from 'bun:test'
import { contentOptions } from '#contract/options/content-options.ts'
import { FILLED_SECTIONS, OPTIONS, optionOf } from './options.ts'

const known = Object.keys(OPTIONS)

test('shows every option on exactly one settings page', () => {
  expect(FILLED_SECTIONS.flatMap(({ keys }) => keys).toSorted()).toEqual(known.toSorted())
})

test('gives every section an anchor and a place of its own', () => {
  expect(new Set(FILLED_SECTIONS.map(({ id }) => id)).size).toBe(FILLED_SECTIONS.length)
  expect(new Set(FILLED_SECTIONS.map(({ tab, order }) => `${tab} ${order}`)).size).toBe(
    FILLED_SECTIONS.length,
  )
})

test('never shows a secret in a field that could be read', () => {
  expect(known.filter(key => optionOf(key).isSecret !== (optionOf(key).kind === 'secret'))).toEqual([])
})

test('leaves the Other page to the texts that it saves one by one', () => {
  const shown = FILLED_SECTIONS.filter(({ tab }) => tab === 'other').flatMap(({ keys }) => keys)
  expect(shown).toEqual(Object.keys(contentOptions))
})

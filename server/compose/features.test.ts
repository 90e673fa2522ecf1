import { expect, test } from 'bun:test'
import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { flag, inSection } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import { handle } from '../api/handle.ts'
import type { FeatureParts } from '../feature.ts'
import { featuresOf, optionsOf, servedPartsOf } from './features.ts'

const FEATURE = { feature: {} }

const notes = (path: `/${string}`): FeatureParts => ({
  routes: [
    handle(
      endpoint({ method: 'GET', path, role: 'admin', summary: 'List notes', reply: z.array(z.string()) }),
      async () => [],
    ),
  ],
})

test.each([['Notes'], ['my notes'], ['notes_'], ['1-notes']])('a folder named %s is refused', folder => {
  expect(() => featuresOf(new Map([[folder, FEATURE]]))).toThrow(
    `features/${folder}: name the folder in lower case with hyphens, such as price-updates`,
  )
})

test('a folder without a feature is refused', () => {
  expect(() => featuresOf(new Map([['notes', { feature: undefined }]]))).toThrow(
    'features/notes/server/index.ts must export `feature`, made by defineFeature()',
  )
})

test('two features with the same path are refused, whatever they call its parameters', () => {
  const started = new Map([
    ['memos', notes('/api/note/:memo')],
    ['notes', notes('/api/note/:note')],
  ])
  expect(() => servedPartsOf(started)).toThrow(
    'features/memos/server/index.ts and features/notes/server/index.ts both serve GET /api/note/:id: give one of them another path',
  )
})

test('a feature that serves a path twice is refused', () => {
  const plain = { path: '/notes.txt', respond: async () => undefined }
  expect(() => servedPartsOf(new Map([['notes', { plainRoutes: [plain, plain] }]]))).toThrow(
    'features/notes/server/index.ts serves GET /notes.txt twice: remove one of the routes',
  )
})

const options = inSection(SECTIONS.general, {
  NotesEnabled: flag(false, { label: { zh: '笔记', en: 'Notes' } }),
})

test('options of features follow those of the base', () => {
  const names = Object.keys(optionsOf(new Map([['notes', { options }]])))
  expect(names).toEqual([...Object.keys(systemOptions), 'NotesEnabled'])
})

test('an option that two features declare is refused', () => {
  const feature = { options }
  expect(() =>
    optionsOf(
      new Map([
        ['memos', feature],
        ['notes', feature],
      ]),
    ),
  ).toThrow(
    'features/memos/options.ts and features/notes/options.ts both declare the option NotesEnabled: give the one that has not landed another name',
  )
})

test('an option of the base cannot be declared again', () => {
  expect(() => optionsOf(new Map([['notes', { options: { RetryTimes: options.NotesEnabled } }]]))).toThrow(
    'contract/options and features/notes/options.ts both declare the option RetryTimes: give the one that has not landed another name',
  )
})

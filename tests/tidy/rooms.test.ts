import { describe, expect, test } from 'bun:test'
import { retiredWordFindings } from './retired-words.ts'
import {
  crowdedFolders,
  importsPer100Lines,
  smallFilesWithOneImporter,
  TYPES_DECLARED_TWICE,
  typesDeclaredTwice,
  valuesExportedTwice,
} from './room-findings.ts'
import { readSources, sourceOf } from './source.ts'

const sources = readSources()

/** Imports of own files in 100 lines, tests aside: more means that files are too small to be read alone. */
const IMPORTS_PER_100_LINES_MAX = { server: 5, console: 6 }

test('no file and no declaration is named with a retired word', () => {
  expect(sources.flatMap(retiredWordFindings)).toEqual([])
})

test('no folder holds more than 25 source files', () => {
  expect(crowdedFolders(sources)).toEqual([])
})

test('no file of at most 20 lines has a single importer', () => {
  expect(smallFilesWithOneImporter(sources)).toEqual([])
})

test('no type name is declared twice in the server', () => {
  expect(typesDeclaredTwice(sources)).toEqual([])
})

test('no value is exported under one name by two files of the server', () => {
  expect(valuesExportedTwice(sources)).toEqual([])
})

test('at most ten type names are excused from being unique, each with a reason', () => {
  const reasons = Object.values(TYPES_DECLARED_TWICE)
  expect(reasons.length).toBeLessThanOrEqual(10)
  expect(reasons.filter(reason => reason === '')).toEqual([])
})

test.each(Object.entries(IMPORTS_PER_100_LINES_MAX))(
  '%s/ imports few own files in 100 lines',
  (root, most) => {
    const found = importsPer100Lines(sources.filter(({ path }) => path.startsWith(`${root}/`)))
    expect(found).toBeLessThanOrEqual(most)
  },
)

describe('the rules', () => {
  test.each([
    ['server/relay/x.ts', 'const answer = 1'],
    ['server/relay/x.ts', 'interface Order { a: 1 }'],
    ['server/x/refuse.ts', 'export const a = 1'],
    ['server/x.ts', 'function openEgress() {}'],
    ['console/x.ts', 'const { place } = a'],
    ['server/x.ts', 'class A { #sealed = 1 }'],
  ])('find a retired word in %s: %s', (path, text) => {
    expect(retiredWordFindings(sourceOf(path, text))).toHaveLength(1)
  })

  test.each([
    ['features/top-ups/server/create.ts', 'const order = 1'],
    ['server/relay/x.ts', 'const row = { quota_seen: 1 }'],
    ['server/x.ts', 'const answerable = 1'],
    ['server/x.ts', 'Object.entries(answer)'],
  ])('accept %s: %s', (path, text) => {
    expect(retiredWordFindings(sourceOf(path, text))).toEqual([])
  })

  const many = Array.from({ length: 26 }, (_, n) => sourceOf(`server/x/f${n}.ts`, 'export const a = 1'))

  test('finds a folder of 26 files', () => {
    expect(crowdedFolders(many)).toHaveLength(1)
    expect(crowdedFolders(many.slice(1))).toEqual([])
  })

  test('finds a short file with a single importer', () => {
    const short = sourceOf('server/x/short.ts', 'export const a = 1')
    const one = sourceOf('server/x/one.ts', "import { a } from './short.ts'")
    const two = sourceOf('server/x/two.ts', "import { a } from './short.ts'")
    expect(smallFilesWithOneImporter([short, one])).toHaveLength(1)
    expect(smallFilesWithOneImporter([short, one, two])).toEqual([])
  })

  test('let a short migration of a feature be a file of its own', () => {
    const migration = sourceOf('features/x/migrations/0099-x.ts', 'export const x = 1')
    const index = sourceOf('features/x/server/index.ts', "import { x } from '../migrations/0099-x.ts'")
    expect(smallFilesWithOneImporter([migration, index])).toEqual([])
  })

  test('finds a type name that two files declare', () => {
    const first = sourceOf('server/x/a.ts', 'interface Caller { a: 1 }')
    const second = sourceOf('server/y/b.ts', 'type Caller = 1')
    expect(typesDeclaredTwice([first, second])).toHaveLength(1)
    expect(typesDeclaredTwice([first])).toEqual([])
  })

  test('finds a name that two files export', () => {
    const first = sourceOf('server/x/a.ts', 'export function authenticate() {}')
    const second = sourceOf('features/y/server/b.ts', 'export const authenticate = 1')
    expect(valuesExportedTwice([first, second])).toHaveLength(1)
    expect(valuesExportedTwice([first])).toEqual([])
  })

  test.each([
    ['server/providers/x/chat.ts', 'export const chat = 1', 'server/relay/operations/chat.ts'],
    ['features/x/server/index.ts', 'export const feature = 1', 'features/y/server/index.ts'],
    ['server/x/a.ts', 'const authenticate = 1', 'server/y/b.ts'],
  ])('accept %s beside another file: %s', (path, text, other) => {
    expect(valuesExportedTwice([sourceOf(path, text), sourceOf(other, text)])).toEqual([])
  })

  test('counts the own files that 100 lines import', () => {
    const lines = ["import { a } from './a.ts'", "import z from 'zod'", ...Array(48).fill('const b = 1')]
    expect(importsPer100Lines([sourceOf('server/x.ts', lines.join('\n'))])).toBe(2)
  })
})

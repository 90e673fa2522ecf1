import { expect, test } from 'bun:test'
import { castFindings } from './cast-findings.ts'
import { clockFindings } from './clock-findings.ts'
import { commentFindings } from './comment-findings.ts'
import { doorFindings } from './door-findings.ts'
import { importFindings } from './import-findings.ts'
import { nameFindings } from './name-findings.ts'
import { filesOf, readSources } from './source.ts'
import { textFindings } from './text-findings.ts'
import { vendorNameFindings } from './vendor-name-findings.ts'

const sources = readSources()

test('no comment promises work instead of doing it', () => {
  expect(sources.flatMap(commentFindings)).toEqual([])
})

test('only the clock reads the time', () => {
  expect(sources.flatMap(clockFindings)).toEqual([])
})

test('the environment, connections, SQL and listening each have one door', () => {
  expect(sources.flatMap(doorFindings)).toEqual([])
})

test('every cast stands in a named function with its guarantee above', () => {
  expect(sources.flatMap(castFindings)).toEqual([])
})

test('no name ends in a word that says nothing', () => {
  expect(sources.flatMap(nameFindings)).toEqual([])
})

test('the contract is reached by #contract only', () => {
  expect(sources.flatMap(importFindings)).toEqual([])
})

test('components hold no texts', () => {
  expect(sources.flatMap(textFindings)).toEqual([])
})

test('no file outside of the folders of vendors names one', () => {
  const manifests = filesOf('server/providers').filter(path => path.endsWith('/index.ts'))
  const vendors = manifests.map(path => path.split('/').at(-2) ?? '')
  expect(vendors).not.toEqual([])
  expect(sources.flatMap(source => vendorNameFindings(source, vendors))).toEqual([])
})

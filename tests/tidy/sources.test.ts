import { expect, test } from 'bun:test'
import { boundaryFindings } from './boundary-findings.ts'
import { castFindings } from './cast-findings.ts'
import { clockFindings } from './clock-findings.ts'
import { commentFindings } from './comment-findings.ts'
import { importFindings } from './import-findings.ts'
import { foreignWordFindings, languageFindings } from './language-findings.ts'
import { nameFindings } from './name-findings.ts'
import { providerNameFindings } from './provider-name-findings.ts'
import { filesOf, readSources } from './source.ts'
import { textFindings } from './text-findings.ts'
import { wordingFindings } from './wording-findings.ts'

const sources = readSources()

test('no comment promises work instead of doing it', () => {
  expect(sources.flatMap(commentFindings)).toEqual([])
})

test('only core/clock reads the time', () => {
  expect(sources.flatMap(clockFindings)).toEqual([])
})

test('the environment, connections, SQL and listening sockets each have one place', () => {
  expect(sources.flatMap(boundaryFindings)).toEqual([])
})

test('every cast is inside a named function that states its guarantee', () => {
  expect(sources.flatMap(castFindings)).toEqual([])
})

test('no name ends in a word that says nothing', () => {
  expect(sources.flatMap(nameFindings)).toEqual([])
})

test('the contract is imported through #contract only', () => {
  expect(sources.flatMap(importFindings)).toEqual([])
})

test('components contain no user-visible text', () => {
  expect(sources.flatMap(textFindings)).toEqual([])
})

test('every text of the server is in its language', () => {
  expect(sources.flatMap(languageFindings)).toEqual([])
  expect(sources.flatMap(foreignWordFindings)).toEqual([])
})

test('every text uses the word that the others use', () => {
  expect(sources.flatMap(wordingFindings)).toEqual([])
})

test('no code outside a provider folder names a provider', () => {
  const manifests = filesOf('server/providers').filter(path => path.endsWith('/index.ts'))
  const providers = manifests.map(path => path.split('/').at(-2) ?? '')
  expect(providers).not.toEqual([])
  expect(sources.flatMap(source => providerNameFindings(source, providers))).toEqual([])
})

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import { PROJECT } from '../harness/program.ts'
import { documentFindings, type Pointed } from './document-findings.ts'
import { filesOf } from './source.ts'

/** At 250 words a minute. */
const ARCHITECTURE_WORDS_MAX = 2_500
const FOLDERS = ['docs', 'contract', 'server', 'console', 'features', 'tests', 'bench', 'scripts']

const standing: Pointed = {
  isPath: path => existsSync(join(PROJECT, path)),
  scripts: Object.keys(project.scripts),
}

test('documents cite only paths and scripts that exist', () => {
  const paths = [...readdirSync(PROJECT), ...FOLDERS.flatMap(filesOf)].filter(path => path.endsWith('.md'))
  const findings = paths.flatMap(path =>
    documentFindings({ path, text: readFileSync(join(PROJECT, path), 'utf8') }, standing),
  )
  expect(findings).toEqual([])
})

test('each decision has a number of its own, in its file name and its title', () => {
  const folder = join(PROJECT, 'docs/architecture/decisions')
  const files = readdirSync(folder).filter(name => /^\d{4}-/.test(name))
  const numbers = files.map(name => Number(name.slice(0, 4)))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1))
  const titled = files.map(name => Number.parseInt(readFileSync(join(folder, name), 'utf8').slice(2), 10))
  expect(titled).toEqual(numbers)
})

test('each decision says its date and whether it still holds', () => {
  const folder = join(PROJECT, 'docs/architecture/decisions')
  const isDated = (text: string) =>
    /^\d{4}-\d{2}-\d{2} · Status: (proposed|accepted|superseded)\b/m.test(text)
  const undated = readdirSync(folder).filter(name => !isDated(readFileSync(join(folder, name), 'utf8')))
  expect(undated).toEqual([])
})

test('the page on architecture is read in ten minutes', () => {
  const words = readFileSync(join(PROJECT, 'ARCHITECTURE.md'), 'utf8').split(/\s+/).length
  expect(words).toBeLessThanOrEqual(ARCHITECTURE_WORDS_MAX)
})

describe('the rule', () => {
  const pointed: Pointed = {
    isPath: path => path === 'docs/a.md' || path === 'server/db',
    scripts: ['check'],
  }
  const findingsIn = (text: string) => documentFindings({ path: 'docs/b.md', text }, pointed)

  test.each([['[a](gone.md)'], ['see `server/gone.ts`'], ['`npm run gone`'], ['open /home/me/x.txt']])(
    'finds %j',
    text => {
      expect(findingsIn(text)).toHaveLength(1)
    },
  )

  test.each([
    ['[a](a.md) [b](https://example.com/x) [c](#part)'],
    ['see `server/db` and `server/providers/<provider>/index.ts`'],
    ['`npm run check`'],
    ['`GET /api/status`'],
  ])('accepts %j', text => {
    expect(findingsIn(text)).toEqual([])
  })
})

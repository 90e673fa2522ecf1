import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { CHINESE } from '../tidy/wording-findings.ts'
import { documents } from './snippets.ts'

/** Words that the project once coined for things that have a name. None of them has another use in these pages. */
const RETIRED =
  /\b(verdicts?|obstacles?|farewell|newcomers?|doors?|underway|passage|kernel|neighbours?|holders?|wiring|unheard)\b/i
const CODE_BLOCK = /^( *)```[\s\S]*?^\1```$/gm
/** What is no prose: inline code, addresses of links, comments, emphasis and the lines of tables. */
const MARKUP = /`[^`]*`|\]\([^)]*\)|<!--.*?-->|!?\[|[*|\]]/g

const isChinese = (path: string): boolean => path.startsWith('docs/zh/') || path === 'README.zh.md'

const proseOf = (path: string): readonly string[] =>
  readFileSync(join(PROJECT, path), 'utf8').replaceAll(CODE_BLOCK, '').replaceAll(MARKUP, '').split('\n')

const find = (paths: readonly string[], pattern: RegExp): readonly string[] =>
  paths.flatMap(path =>
    proseOf(path)
      .filter(line => pattern.test(line))
      .map(line => `${path}: ${line.trim().slice(0, 100)}`),
  )

/** Pages of evidence that are in English only. */
const ENGLISH_ONLY = [
  'docs/operations/performance.md',
  'docs/operations/security.md',
  'docs/reference/agents.md',
  'docs/reference/faults.md',
]

const originalOf = (path: string): string => path.replace('docs/zh/', 'docs/')

test('every page but those of evidence is in Chinese too, and no Chinese page lacks an English one', () => {
  const chinese = documents().filter(path => path.startsWith('docs/zh/'))
  const english = documents().filter(
    path => path.startsWith('docs/') && !isChinese(path) && path !== 'docs/README.md',
  )
  const untranslated = english.filter(path => !chinese.includes(path.replace('docs/', 'docs/zh/')))
  expect(untranslated).toEqual(ENGLISH_ONLY)
  expect(chinese.filter(path => !documents().includes(originalOf(path)))).toEqual([])
})

/** The levels of the headings of a page, its list items, its rows of tables and its code blocks. */
function outlineOf(path: string) {
  const text = readFileSync(join(PROJECT, path), 'utf8')
  const prose = text.replaceAll(CODE_BLOCK, '')
  return {
    headings: [...prose.matchAll(/^(#+) /gm)].map(([, level]) => level),
    items: [...prose.matchAll(/^ *(-|\d+\.) /gm)].length,
    rows: [...prose.matchAll(/^ *\|/gm)].length,
    blocks: [...text.matchAll(CODE_BLOCK)].length,
  }
}

test.each(
  documents()
    .filter(path => path.startsWith('docs/zh/'))
    .map(path => [path]),
)('%s has the headings, list items, rows and code blocks of its English page', path => {
  expect(outlineOf(path)).toEqual(outlineOf(originalOf(path)))
})

test.each(CHINESE.map(([pattern, word]) => [word, pattern] as const))(
  'Chinese pages name things as the product does: %s',
  (_, pattern) => {
    expect(find(documents().filter(isChinese), pattern)).toEqual([])
  },
)

test('no page uses a retired word', () => {
  expect(find(documents(), RETIRED)).toEqual([])
})

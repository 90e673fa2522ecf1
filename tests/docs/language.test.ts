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

test('every guide, client and way to install has a page in Chinese, and no Chinese page lacks an English one', () => {
  const english = documents().filter(path => /^docs\/(guides|clients|install)\/|^docs\/index\.md$/.test(path))
  const chinese = documents().filter(path => path.startsWith('docs/zh/'))
  const untranslated = english.filter(path => !chinese.includes(path.replace('docs/', 'docs/zh/')))
  // The sign-in of Claude Code is reference: options, events and endpoints.
  expect(untranslated).toEqual(['docs/guides/claude-code.md'])
  const original = (path: string) => path.replace('docs/zh/', 'docs/')
  expect(chinese.filter(path => !documents().includes(original(path)))).toEqual([])
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

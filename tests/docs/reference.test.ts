import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Option } from '#contract/options/define-option.ts'
import { options } from '#server/testing/options.ts'
import { PROJECT } from '../harness/program.ts'
import { filesOf } from '../tidy/source.ts'

const OPTIONS_PAGE = join(PROJECT, 'docs', 'reference', 'options.md')
const TITLES = { operation: 'Operation', system: 'System', other: 'Other' } as const
/** Longer defaults are tables and lists that the settings page shows better. */
const DEFAULT_CHARS_MAX = 60

const sourceOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8')

test('the page of errors lists every code of the gateway with its status', () => {
  const codes = [...sourceOf('server/core/errors.ts').matchAll(/^ {2}(\w+): (\d{3}),$/gm)]
  const listed = [...sourceOf('docs/reference/errors.md').matchAll(/^\| `(\w+)` \| (\d{3}) \| \S/gm)]
  const pairs = (found: readonly RegExpMatchArray[]) => found.map(([, code, status]) => `${code} ${status}`)
  expect(codes.length).toBeGreaterThan(30)
  expect(pairs(listed)).toEqual(pairs(codes))
})

test('the page of receipts explains every member of a receipt', () => {
  const [, body = ''] =
    /function toReceipt\([\s\S]*?return \{([\s\S]*?)\n {2}\}/.exec(
      sourceOf('server/relay/billing/receipt.ts'),
    ) ?? []
  const members = [...body.matchAll(/^ {4}(\w+):/gm)].map(([, name = '']) => name)
  const page = sourceOf('docs/reference/receipts.md')
  expect(members.length).toBeGreaterThan(10)
  expect(members.filter(name => !page.includes(`\`${name}\``))).toEqual(UNEXPLAINED)
})

/** Details of single operations. */
const UNEXPLAINED = ['dropped_tools', 'ws', 'reasoning_effort']

/** Names in the code that begin like metrics and are none: a column, and a type of errors. */
const NO_METRICS = new Set(['process_id', 'tollgate_error'])

test('every metric of the gateway is explained', () => {
  const code = [...filesOf('server'), ...filesOf('features')].filter(
    path => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const names = code.flatMap(path =>
    [...sourceOf(path).matchAll(/'((?:tollgate|gen_ai|process)_[a-z_]+)'/g)].map(([, name = '']) => name),
  )
  const pages = ['docs/operations/operations.md', 'docs/guides/claude-code.md'].map(sourceOf).join('\n')
  const metrics = [...new Set(names)].filter(name => !NO_METRICS.has(name))
  expect(metrics.length).toBeGreaterThan(15)
  expect(metrics.filter(name => !pages.includes(`\`${name}\``))).toEqual([])
})

const rowOf = ([key, option]: readonly [string, Option<unknown>]): string =>
  `| \`${key}\` | ${defaultOf(option)} | ${meaningOf(option).replaceAll('|', '\\|')} |`

function meaningOf({ label, help, unit, choices = {} }: Option<unknown>): string {
  const words = [unit?.en, ...Object.keys(choices)].filter(word => word !== undefined)
  return [words.length > 0 ? `${label.en} (${words.join(', ')}).` : `${label.en}.`, help?.en].join(' ').trim()
}

function defaultOf({ initial, isSecret }: Option<unknown>): string {
  if (isSecret) return 'a secret, none'
  if (initial === '') return 'empty'
  return initial.length > DEFAULT_CHARS_MAX || initial.includes('\n') ? 'a table' : `\`${initial}\``
}

function optionsPage(): string {
  const orderOf = ([, { order = 0 }]: readonly [string, Option<unknown>]) => order
  const shown = Object.entries(options).toSorted((a, b) => orderOf(a) - orderOf(b))
  const sections = [...Map.groupBy(shown, ([, { section }]) => section)].toSorted(
    ([a], [b]) => a.order - b.order,
  )
  const pages = Object.entries(TITLES).map(([tab, page]) => {
    const tables = sections
      .filter(([section]) => section.tab === tab)
      .map(
        ([{ title }, rows]) =>
          `### ${title.en}\n\n| Option | Default | Meaning |\n|---|---|---|\n${rows.map(rowOf).join('\n')}`,
      )
    return `## ${page}\n\n${tables.join('\n\n')}`
  })
  return `# Options

Settings that change while the gateway runs, in the console under *Settings*, or with [the management API](api.md#options). Values are texts; tables and lists are JSON. A change counts for the
next request, in all processes within a second. This page is written by \`OPTIONS=write npm test -- tests/docs/reference.test.ts\`, from the declarations in \`contract/options\` and in the \`options.ts\` of features.

${pages.join('\n\n')}
`
}

test('the page of options is up to date: OPTIONS=write writes it', () => {
  if (process.env.OPTIONS === 'write') writeFileSync(OPTIONS_PAGE, optionsPage())
  expect(sourceOf('docs/reference/options.md')).toBe(optionsPage())
})

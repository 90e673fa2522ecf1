import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Option } from '#contract/options/define-option.ts'
import { options } from '#server/testing/options.ts'
import { PROJECT } from '../harness/program.ts'
import { filesOf } from '../tidy/source.ts'

type Language = 'en' | 'zh'

/** The page of options in a language, and its words. */
const OPTIONS_PAGES = {
  en: {
    path: 'docs/reference/options.md',
    title: 'Options',
    intro: `Settings that change while the gateway runs, in the console under *Settings*, or with [the management API](api.md#options). Values are texts; tables and lists are JSON. A change counts for the
next request, in all processes within a second. This page is written by \`OPTIONS=write npm test -- tests/docs/reference.test.ts\`, from the declarations in \`contract/options\` and in the \`options.ts\` of features.`,
    tabs: { operation: 'Operation', system: 'System', other: 'Other' },
    columns: '| Option | Default | Meaning |',
    defaults: { secret: 'a secret, none', empty: 'empty', table: 'a table' },
    meaning: (label: string, words: string, help: string) =>
      [words === '' ? `${label}.` : `${label} (${words}).`, help].join(' ').trim(),
  },
  zh: {
    path: 'docs/zh/reference/options.md',
    title: '选项',
    intro: `网关运行时可以更改的设置，在控制台的*设置*中，或通过[管理 API](api.md#选项) 更改。值为文本；表格和列表为 JSON。更改对下一次请求生效，一秒内到达所有进程。本页由 \`OPTIONS=write npm test -- tests/docs/reference.test.ts\` 根据 \`contract/options\` 和各功能 \`options.ts\` 中的声明生成。`,
    tabs: { operation: '运营设置', system: '系统设置', other: '其他设置' },
    columns: '| 选项 | 默认值 | 含义 |',
    defaults: { secret: '机密，无', empty: '空', table: '表格' },
    meaning: (label: string, words: string, help: string) =>
      `${words === '' ? label : `${label}（${words}）`}。${help}`,
  },
} as const
/** Longer defaults are tables and lists that the settings page shows better. */
const DEFAULT_CHARS_MAX = 60

const sourceOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8')

test.each([['docs/reference/errors.md'], ['docs/zh/reference/errors.md']])(
  '%s lists every code of the gateway with its status',
  page => {
    const codes = [...sourceOf('server/core/errors.ts').matchAll(/^ {2}(\w+): (\d{3}),$/gm)]
    const listed = [...sourceOf(page).matchAll(/^\| `(\w+)` \| (\d{3}) \| \S/gm)]
    const pairs = (found: readonly RegExpMatchArray[]) => found.map(([, code, status]) => `${code} ${status}`)
    expect(codes.length).toBeGreaterThan(30)
    expect(pairs(listed)).toEqual(pairs(codes))
  },
)

test.each([['docs/reference/receipts.md'], ['docs/zh/reference/receipts.md']])(
  '%s explains every member of a receipt',
  path => {
    const [, body = ''] =
      /function toReceipt\([\s\S]*?return \{([\s\S]*?)\n {2}\}/.exec(
        sourceOf('server/relay/billing/receipt.ts'),
      ) ?? []
    const members = [...body.matchAll(/^ {4}(\w+):/gm)].map(([, name = '']) => name)
    const page = sourceOf(path)
    expect(members.length).toBeGreaterThan(10)
    expect(members.filter(name => !page.includes(`\`${name}\``))).toEqual(UNEXPLAINED)
  },
)

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

type OptionEntry = readonly [string, Option<unknown>]

const rowOf = ([key, option]: OptionEntry, language: Language): string =>
  `| \`${key}\` | ${defaultOf(option, language)} | ${meaningOf(option, language).replaceAll('|', '\\|')} |`

function meaningOf({ label, help, unit, choices = {} }: Option<unknown>, language: Language): string {
  const words = [unit?.[language], ...Object.keys(choices)].filter(word => word !== undefined)
  const text = help?.[language] ?? ''
  return OPTIONS_PAGES[language].meaning(label[language], words.join(language === 'en' ? ', ' : '、'), text)
}

function defaultOf({ initial, isSecret }: Option<unknown>, language: Language): string {
  const { secret, empty, table } = OPTIONS_PAGES[language].defaults
  if (isSecret) return secret
  if (initial === '') return empty
  return initial.length > DEFAULT_CHARS_MAX || initial.includes('\n') ? table : `\`${initial}\``
}

function optionsPage(language: Language): string {
  const { title, intro, tabs, columns } = OPTIONS_PAGES[language]
  const orderOf = ([, { order = 0 }]: OptionEntry) => order
  const shown = Object.entries(options).toSorted((a, b) => orderOf(a) - orderOf(b))
  const sections = [...Map.groupBy(shown, ([, { section }]) => section)].toSorted(
    ([a], [b]) => a.order - b.order,
  )
  const pages = Object.entries(tabs).map(([tab, page]) => {
    const tables = sections
      .filter(([section]) => section.tab === tab)
      .map(([section, entries]) => {
        const rows = entries.map(entry => rowOf(entry, language)).join('\n')
        return `### ${section.title[language]}\n\n${columns}\n|---|---|---|\n${rows}`
      })
    return `## ${page}\n\n${tables.join('\n\n')}`
  })
  return `# ${title}\n\n${intro}\n\n${pages.join('\n\n')}\n`
}

test.each([['en'], ['zh']] as const)(
  'the page of options is up to date in %s: OPTIONS=write writes it',
  language => {
    const { path } = OPTIONS_PAGES[language]
    if (process.env.OPTIONS === 'write') writeFileSync(join(PROJECT, path), optionsPage(language))
    expect(sourceOf(path)).toBe(optionsPage(language))
  },
)

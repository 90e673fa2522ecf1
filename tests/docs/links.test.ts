import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { buildSite, readSite } from './site.ts'

const ORIGIN = 'http://site'
const SOURCES = join(PROJECT, 'docs')

let pages: ReadonlyMap<string, string>
let twins: ReadonlyMap<string, string>
beforeAll(async () => {
  await buildSite()
  pages = readSite('.html')
  twins = readSite('.md')
})

/** The file of the site that a path of the gateway is served from. */
function pageAt(pathname: string): string | undefined {
  const path = pathname.replace(/^\/docs\//, '').replace(/\/$/, '')
  return [`${path}.html`, posix.join(path, 'index.html')].find(name => pages.has(name))
}

const linksOf = (html: string): readonly string[] =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

function isBroken(page: string, href: string): boolean {
  const { origin, pathname, hash } = new URL(href, `${ORIGIN}/docs/${page.replace(/(index)?\.html$/, '')}`)
  if (origin !== ORIGIN || !pathname.startsWith('/docs/')) return false
  const target = pageAt(pathname)
  if (target === undefined) return true
  return hash !== '' && !pages.get(target)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`)
}

test('every link of every page leads to a page and a heading that exist', () => {
  const broken = [...pages].flatMap(([page, html]) =>
    linksOf(html)
      .filter(href => isBroken(page, href))
      .map(href => `${page} links to ${href}`),
  )
  expect(pages.size).toBeGreaterThan(30)
  expect([...new Set(broken)]).toEqual([])
})

test('every page has a Markdown twin whose links lead to twins', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md') && name !== 'README.md' && !name.startsWith('.'))
    .sort()
  expect([...twins.keys()].sort()).toEqual(sources)
  const broken = [...twins].flatMap(([name, text]) =>
    [...text.matchAll(/\]\(([^)\s:#]+\.md)/g)]
      .map(([, target = '']) => posix.join(posix.dirname(name), target))
      .filter(target => !target.startsWith('..') && target !== 'README.md' && !twins.has(target)),
  )
  expect(broken).toEqual([])
})

test('llms.txt lists the twins of all English pages for readers, each with a sentence', () => {
  const listed = [...(readSite('.txt').get('llms.txt') ?? '').matchAll(/^- \[.+\]\(\/docs\/(.+\.md)\): \S/gm)]
  const readers = [...twins.keys()].filter(
    name => name.includes('/') && !/^(architecture|internal|zh)\//.test(name),
  )
  expect(listed.map(([, name = '']) => name).sort()).toEqual(readers.sort())
})

test('the sidebar leads to every page for readers', () => {
  const sidebar = readFileSync(join(SOURCES, '.vitepress', 'sidebar.mjs'), 'utf8')
  const missing = [...twins.keys()].filter(name => {
    const path = `/${name.replace(/(index)?\.md$/, '')}`
    return (
      name.includes('/') &&
      !/^(architecture|internal)\/|^zh\/index/.test(name) &&
      !sidebar.includes(`'${path}'`)
    )
  })
  expect(missing).toEqual([])
})

import { posix } from 'node:path'

const EXTERNAL = /^([a-z][a-z0-9+.-]*:|#|\/)/i

/**
 * The path in the project that a link of a page leads to, when that is a file of the source and no page of the site: a
 * template, a folder, a document outside `docs`. Undefined for pages and for other sites. The path may not exist: an image is built
 * from a part of the source only.
 */
export function sourceOfLink(page, href) {
  if (EXTERNAL.test(href)) return undefined
  const path = posix.join('docs', posix.dirname(page), decodeURI(href).replace(/[?#].*$/, ''))
  const isPage = path.startsWith('docs/') && path.endsWith('.md') && path !== 'docs/README.md'
  return isPage ? undefined : path
}

/** Makes markdown-it render links to files of the source as text with the file's path as its title. */
export function unlinkSources(markdown) {
  markdown.core.ruler.push('unlink-sources', ({ tokens, env }) => {
    for (const { children } of tokens) {
      const links = (children ?? []).filter(({ type }) => type === 'link_open' || type === 'link_close')
      for (let index = 0; index < links.length; index += 2)
        unlink(links[index], links[index + 1], env.relativePath)
    }
  })
}

/** Links never contain links, so an opening token is followed by its closing token. */
function unlink(open, close, page) {
  const source = sourceOfLink(page, open.attrGet('href') ?? '')
  if (!source) return
  Object.assign(open, { type: 'source_open', tag: 'span', attrs: [['title', source]] })
  Object.assign(close, { type: 'source_close', tag: 'span' })
}

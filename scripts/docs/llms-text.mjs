const FRONTMATTER = /^---\n[\s\S]*?\n---\n/
const SECTIONS = {
  install: 'Install',
  guides: 'Guides',
  clients: 'Clients',
  formats: 'Formats',
  reference: 'Reference',
  operations: 'Operations',
}
/** The first sentence of a paragraph. A period inside a word, such as in a file name, ends none. */
const FIRST_SENTENCE = /^.*?[.:](?=\s|$)/

/** The Markdown of a page as it is served beside the page. */
export const twinOf = text => text.replace(FRONTMATTER, '').trimStart()

/** The index of the site for language models (llmstxt.org): every English page with its first sentence. */
export function llmsText(sources) {
  const lists = Object.entries(SECTIONS).flatMap(([folder, title]) => {
    const items = sources.filter(({ page }) => page.startsWith(`${folder}/`)).map(itemOf)
    return items.length === 0 ? [] : [`## ${title}\n\n${items.join('\n')}`]
  })
  const home = sources.find(({ page }) => page === 'index.md')
  return `# Tollgate\n\n> ${firstSentenceOf(home.text)}\n\n${lists.join('\n\n')}\n`
}

function itemOf({ page, text }) {
  const [, title = page] = /^# (.+)$/m.exec(text) ?? []
  const sentence = firstSentenceOf(text)
  return `- [${title}](/docs/${page})${sentence && `: ${sentence}`}`
}

/** The first sentence of the first paragraph of text, without its links. */
function firstSentenceOf(text) {
  const [paragraph = ''] = twinOf(text)
    .replace(/^# .+\n+/, '')
    .split(/\n\s*\n/)
    .filter(block => /^(?!```)[A-Za-z0-9`*[]/.test(block))
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return FIRST_SENTENCE.exec(plain)?.[0].replace(/:$/, '.') ?? ''
}

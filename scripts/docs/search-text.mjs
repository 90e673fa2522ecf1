const TAG = /(<[^>]+>)/
const HEADING_OPEN = /^<h[1-6][\s>]/
const HEADING_CLOSE = /^<\/h[1-6]>/
const HAN_RUN = /\p{Script=Han}{2,}/gu
/** Longer words are found by their first characters. */
const SUFFIX_CHARS_MAX = 8

/**
 * Rewrites a page for the index of the search, which splits words at spaces and finds a word by its beginning. Chinese has no
 * spaces, so each run of characters is followed by its suffixes: then any part of it is the beginning of some word. Headings
 * stay as they are, because results show them; their suffixes follow in a paragraph.
 */
export function withSuffixes(html) {
  let heading
  return html
    .split(TAG)
    .map(part => {
      if (HEADING_OPEN.test(part)) heading = ''
      if (HEADING_CLOSE.test(part)) return `${part}${takeHeading()}`
      if (part.startsWith('<')) return part
      if (heading === undefined) return part.replaceAll(HAN_RUN, suffixesOf)
      heading += part
      return part
    })
    .join('')

  function takeHeading() {
    const words = heading.match(HAN_RUN) ?? []
    heading = undefined
    return words.length === 0 ? '' : `<p>${words.map(suffixesOf).join(' ')}</p>`
  }
}

const suffixesOf = run =>
  [...run].map((_, start) => [...run].slice(start, start + SUFFIX_CHARS_MAX).join('')).join(' ')

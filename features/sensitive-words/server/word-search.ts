/** Searches a text for many words at once, ignoring case. */
export interface WordSearch {
  /** The first word found, as it was listed; undefined for none. One pass over the text, however many words there are. */
  find(text: string): string | undefined
  /** Begins a search of a text that is given in parts. */
  begin(): PartialSearch
}

/** A search of one text. */
export interface PartialSearch {
  /** Like `find`, for the next part of the text. */
  next(part: string): string | undefined
}

/** A node of the trie of all words. The path from the root to a node is the beginning of some word. */
interface TrieNode {
  readonly next: Map<number, TrieNode>
  /** Failure link: the node of the longest suffix of this path that also begins a word. */
  fallback: TrieNode | undefined
  /** The word that ends here. */
  word: string | undefined
}

/**
 * Builds an Aho–Corasick automaton; empty words are left out.
 * Source: Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975.
 */
export function createWordSearch(words: readonly string[]): WordSearch {
  const root = buildTrie(words.filter(word => word !== ''))
  linkFallbacks(root)
  // Most characters begin no word, and a flat table is faster to look up than the root's map.
  const beginsWord = new Uint8Array(CODE_UNITS)
  for (const code of root.next.keys()) beginsWord[code] = 1
  const begin = () => new TrieSearch(root, beginsWord)
  return { begin, find: text => begin().next(text) }
}

class TrieSearch implements PartialSearch {
  private readonly root: TrieNode
  private readonly beginsWord: Uint8Array
  private reached: TrieNode

  constructor(root: TrieNode, beginsWord: Uint8Array) {
    this.root = root
    this.beginsWord = beginsWord
    this.reached = root
  }

  next(part: string): string | undefined {
    const { root, beginsWord } = this
    let node = this.reached
    for (let index = 0; index < part.length; index += 1) {
      const code = foldedCodeAt(part, index)
      if (node === root && beginsWord[code] === 0) continue
      node = step(node, code) ?? root
      if (node.word !== undefined) return node.word
    }
    this.reached = node
    return undefined
  }
}

/** Number of UTF-16 code units. */
const CODE_UNITS = 2 ** 16

/**
 * Case folding of each code unit, so that texts are compared without a lower-case copy. `Σ`, `σ` and `ς` all fold to
 * `σ`.
 */
const FOLDED_CODES = Uint16Array.from({ length: CODE_UNITS }, (_, code) => foldCode(code))

/** Characters whose folding is longer than one code unit stay as they are. */
function foldCode(code: number): number {
  const folded = String.fromCharCode(code).toUpperCase().toLowerCase()
  return folded.length === 1 ? folded.charCodeAt(0) : code
}

const foldedCodeAt = (text: string, index: number): number => FOLDED_CODES[text.charCodeAt(index)] ?? 0

const createNode = (): TrieNode => ({ next: new Map(), fallback: undefined, word: undefined })

function buildTrie(words: readonly string[]): TrieNode {
  const root = createNode()
  for (const word of words) {
    let node = root
    for (let index = 0; index < word.length; index += 1) {
      const code = foldedCodeAt(word, index)
      const next = node.next.get(code) ?? createNode()
      node.next.set(code, next)
      node = next
    }
    node.word ??= word
  }
  return root
}

/** Breadth first: a fallback is nearer to the root than its node, so it is already linked. */
function linkFallbacks(root: TrieNode): void {
  const queue = [root]
  for (const node of queue)
    for (const [code, next] of node.next) {
      next.fallback = (node.fallback && step(node.fallback, code)) ?? root
      next.word ??= next.fallback.word
      queue.push(next)
    }
}

function step(from: TrieNode, code: number): TrieNode | undefined {
  let node: TrieNode | undefined = from
  while (node) {
    const next = node.next.get(code)
    if (next) return next
    node = node.fallback
  }
  return undefined
}

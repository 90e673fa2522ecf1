/** Looks for many words at once, whatever the case. */
export interface WordSearch {
  /** The first word found, as it was listed; undefined when the text holds none. One pass, however many words there are. */
  find(text: string): string | undefined
}

/** Of a UTF-16 unit. Most letters of a text begin no word, which a table tells at once. */
const CODES = 2 ** 16

/** Each UTF-16 unit without its case, so that no text need be copied to be compared: of `Σ`, `σ` and `ς` it is `σ`. */
const FOLDED = Uint16Array.from({ length: CODES }, (_, code) => folded(code))

/** Letters that grow longer by it keep their case. */
function folded(code: number): number {
  const small = String.fromCharCode(code).toUpperCase().toLowerCase()
  return small.length === 1 ? small.charCodeAt(0) : code
}

const foldedAt = (text: string, index: number): number => FOLDED[text.charCodeAt(index)] ?? 0

/** A place in the tree of all words: what has been read so far is the beginning of some word. */
interface Place {
  readonly next: Map<number, Place>
  /** Where to go on when no longer word fits: the longest end of what was read that begins a word too. */
  back: Place | undefined
  /** The word that ends here. */
  word: string | undefined
}

/**
 * Source of the method: Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975.
 * Empty words are left out.
 */
export function openWordSearch(words: readonly string[]): WordSearch {
  const start = treeOf(words.filter(word => word !== ''))
  linkBack(start)
  const beginsWord = new Uint8Array(CODES)
  for (const code of start.next.keys()) beginsWord[code] = 1
  return {
    find(text) {
      let place = start
      for (let index = 0; index < text.length; index += 1) {
        const code = foldedAt(text, index)
        if (place === start && beginsWord[code] === 0) continue
        place = placeAfter(place, code) ?? start
        if (place.word !== undefined) return place.word
      }
      return undefined
    },
  }
}

const newPlace = (): Place => ({ next: new Map(), back: undefined, word: undefined })

function treeOf(words: readonly string[]): Place {
  const start = newPlace()
  for (const word of words) {
    let place = start
    for (let index = 0; index < word.length; index += 1) {
      const code = foldedAt(word, index)
      const next = place.next.get(code) ?? newPlace()
      place.next.set(code, next)
      place = next
    }
    place.word ??= word
  }
  return start
}

/** Breadth first: where a place goes back to stands nearer to the start and is linked already. */
function linkBack(start: Place): void {
  const places = [start]
  for (const place of places)
    for (const [code, next] of place.next) {
      next.back = (place.back && placeAfter(place.back, code)) ?? start
      next.word ??= next.back.word
      places.push(next)
    }
}

function placeAfter(from: Place, code: number): Place | undefined {
  let place: Place | undefined = from
  while (place) {
    const next = place.next.get(code)
    if (next) return next
    place = place.back
  }
  return undefined
}

import type { ChatChoice, ChatChunk, UrlCitation, WebSearch } from '../contract/chat.ts'
import { readTexts } from '../hosted-tools.ts'
import { asArray, asCount, asObject, asString, type JsonObject, omitNullish } from '../json.ts'
import { orUndefined } from '../web-citations.ts'

/** Longer texts are not kept, so their citations have no places. */
const GROUNDED_CHARS_MAX = 1_000_000

/** A response's searches. Source: ai.google.dev/gemini-api/docs/google-search */
interface Grounding {
  readonly search: WebSearch | undefined
  readonly citations: readonly UrlCitation[]
}

/** `text` is the text of the candidate, as far as it is known. */
function readGrounding(
  { webSearchQueries, groundingChunks, groundingSupports }: JsonObject,
  text: string,
): Grounding {
  const pages = asArray(groundingChunks).map(chunk => toSource(asObject(asObject(chunk).web)))
  const sources = pages.filter(page => page !== undefined)
  const queries = readTexts(webSearchQueries) ?? []
  const toOffset = createOffsets(text)
  return {
    search: queries.length + sources.length > 0 ? { queries, sources } : undefined,
    citations: asArray(groundingSupports).flatMap(json => {
      const { segment, groundingChunkIndices } = asObject(json)
      const { startIndex, endIndex } = asObject(segment)
      const place = { start: toOffset(asCount(startIndex)), end: toOffset(asCount(endIndex)) }
      const isPlaced = place.start !== undefined && place.end !== undefined && place.end > place.start
      return asArray(groundingChunkIndices).flatMap(index => {
        const page = pages[Number(index)]
        return page ? [{ ...page, ...(isPlaced && place) }] : []
      })
    }),
  }
}

function toSource({ uri, title }: JsonObject) {
  const url = asString(uri)
  return url ? { url, ...omitNullish({ title: asString(title) }) } : undefined
}

/** Google counts bytes. Undefined beyond the text. */
function createOffsets(text: string): (byte: number) => number | undefined {
  const bytes = Buffer.from(text)
  return byte => (byte > bytes.length ? undefined : bytes.subarray(0, byte).toString().length)
}

export function readGroundedChoice(
  metadata: unknown,
  text: string,
): Pick<ChatChoice, 'citations' | 'searches'> {
  const { search, citations } = readGrounding(asObject(metadata), text)
  return omitNullish({ citations: orUndefined(citations), searches: search && [search] })
}

/** Reads the grounding of a streamed response, whose last event tells all of it. */
export interface GroundingReader {
  /** Keeps the text of a candidate, whose bytes the grounding counts. */
  add(choice: number, text: string): void
  end(choice: number, metadata: unknown): readonly ChatChunk[]
}

export function createGroundingReader(): GroundingReader {
  const texts = new Map<number, string>()
  return {
    add(choice, text) {
      const former = texts.get(choice) ?? ''
      if (former.length < GROUNDED_CHARS_MAX) texts.set(choice, former + text)
    },
    end(choice, metadata) {
      const { search, citations } = readGrounding(asObject(metadata), texts.get(choice) ?? '')
      return [
        ...citations.map(citation => ({ type: 'citation', citation, choice }) as const),
        ...(search ? [{ type: 'web-search', search, choice } as const] : []),
      ]
    },
  }
}

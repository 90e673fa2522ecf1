import type { UrlCitation, WebSearch } from '../../provider-kit/contract/chat.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { sourcesOf } from '../../provider-kit/web-citations.ts'

interface GroundedText {
  readonly text: string
  readonly searches?: readonly WebSearch[] | undefined
  readonly citations?: readonly UrlCitation[] | undefined
}

/**
 * The pages behind a text. Undefined where there are none. Google counts bytes, so a place needs the text up to it.
 * Source: ai.google.dev/gemini-api/docs/google-search
 */
export function toGroundingMetadata({
  text,
  searches = [],
  citations = [],
}: GroundedText): JsonObject | undefined {
  const sources = sourcesOf(searches, citations)
  const queries = searches.flatMap(search => search.queries)
  if (sources.length === 0 && queries.length === 0) return undefined
  const indexOf = new Map(sources.map(({ url }, index) => [url, index]))
  return {
    webSearchQueries: queries,
    groundingChunks: sources.map(({ url, title }) => ({ web: { uri: url, title: title ?? url } })),
    groundingSupports: citations.flatMap(({ url, start = 0, end = 0 }) =>
      end > start && end <= text.length
        ? [{ segment: toSegment(text, start, end), groundingChunkIndices: [indexOf.get(url)] }]
        : [],
    ),
  }
}

const toSegment = (text: string, start: number, end: number): JsonObject => ({
  startIndex: Buffer.byteLength(text.slice(0, start)),
  endIndex: Buffer.byteLength(text.slice(0, end)),
  text: text.slice(start, end),
})

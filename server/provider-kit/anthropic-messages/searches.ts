import type { ChatChoice, ChatChunk, UrlCitation, WebSearch } from '../contract/chat.ts'
import { asArray, asObject, asString, type JsonObject, omitNullish, parseJson } from '../json.ts'
import { orUndefined, readSources } from '../web-citations.ts'

type SearchPieces = readonly Extract<ChatChunk, { type: 'citation' | 'web-search' }>[]
const NO_PIECES: SearchPieces = []

/** A longer query is not kept. */
const QUERY_CHARS_MAX = 10_000

/** The searches and citations of a complete response, as its blocks would stream. */
export function readSearches(blocks: readonly JsonObject[]): Pick<ChatChoice, 'citations' | 'searches'> {
  const reader = createSearchReader()
  const pieces = blocks.flatMap(block => {
    const started = reader.start(block)
    for (const citation of asArray(block.citations)) reader.add({ type: 'citations_delta', citation })
    return [...started, ...reader.stop()]
  })
  return omitNullish({
    citations: orUndefined(pieces.flatMap(piece => (piece.type === 'citation' ? piece.citation : []))),
    searches: orUndefined(pieces.flatMap(piece => (piece.type === 'web-search' ? piece.search : []))),
  })
}

/**
 * Reads the blocks of Claude's web search. A citation belongs to the whole block of text that holds it, so it follows at
 * the end of the block. Source: platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
interface SearchReader {
  start(block: JsonObject): SearchPieces
  add(delta: JsonObject): void
  stop(): SearchPieces
}

export function createSearchReader(): SearchReader {
  const cited: JsonObject[] = []
  let isText = false
  let chars = 0
  let blockStart = 0
  let query = ''
  return {
    start(block) {
      isText = block.type === 'text'
      if (isText) {
        blockStart = chars
        chars += (asString(block.text) ?? '').length
      }
      if (block.type === 'server_tool_use') query = asString(asObject(block.input).query) ?? ''
      return block.type === 'web_search_tool_result' ? [toSearch(block, query)] : NO_PIECES
    },
    add({ type, text, citation, partial_json }) {
      if (type === 'text_delta') chars += (asString(text) ?? '').length
      if (type === 'citations_delta') cited.push(asObject(citation))
      if (type === 'input_json_delta' && query.length < QUERY_CHARS_MAX) query += asString(partial_json) ?? ''
    },
    stop() {
      if (!isText || cited.length === 0) return NO_PIECES
      const place = { start: blockStart, end: chars }
      return cited.splice(0).flatMap(json => toCitation(json, place))
    },
  }
}

/** The query is text, or the JSON input of a streamed block. */
const toSearch = ({ content }: JsonObject, query: string): SearchPieces[number] => {
  const text = asString(asObject(parseJson(query)).query) ?? query
  const search: WebSearch = { queries: text === '' ? [] : [text], sources: readSources(content) }
  return { type: 'web-search', search }
}

function toCitation(json: JsonObject, place: Pick<UrlCitation, 'start' | 'end'>): SearchPieces {
  const url = asString(json.url)
  if (json.type !== 'web_search_result_location' || !url) return NO_PIECES
  const texts = omitNullish({ title: asString(json.title), citedText: asString(json.cited_text) })
  return [{ type: 'citation', citation: { url, ...texts, ...place } }]
}

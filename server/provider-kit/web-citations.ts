import type { UrlCitation, WebSearch, WebSource } from './contract/chat.ts'
import { asArray, asObject, asString, type JsonObject, omitNullish } from './json.ts'

/** A list that belongs into a choice; undefined where it is empty. */
export const orUndefined = <Item>(items: readonly Item[]): readonly Item[] | undefined =>
  items.length > 0 ? items : undefined

/** The pages in a list of objects, under the provider's name for the address. */
export const readSources = (json: unknown, urlField = 'url'): readonly WebSource[] =>
  asArray(json).flatMap(value => {
    const source = asObject(value)
    const url = asString(source[urlField])
    return url ? [{ url, ...omitNullish({ title: asString(source.title) }) }] : []
  })

/** OpenAI's `url_citation`. `offset`: where the part with the citation begins in the text of the choice. */
export function readUrlCitation(json: JsonObject, offset = 0): readonly UrlCitation[] {
  const url = asString(json.url)
  if (!url) return []
  const { start_index: start, end_index: end, content } = json
  const isPlaced = typeof start === 'number' && typeof end === 'number' && end > start
  return [
    {
      url,
      ...omitNullish({ title: asString(json.title), citedText: asString(content) }),
      ...(isPlaced && { start: start + offset, end: end + offset }),
    },
  ]
}

/** OpenAI's fields of a citation. Clients expect numbers, also where the provider tells no place. */
export const toUrlCitation = ({ url, title, start = 0, end = 0 }: UrlCitation): JsonObject => ({
  start_index: start,
  end_index: end,
  title: title ?? url,
  url,
})

/** The citations without their places, for a text that was changed. */
export const withoutPlaces = ({ start: _, end: __, ...citation }: UrlCitation): UrlCitation => citation

/** The citation in a text that begins `by` characters further left. */
export const movePlaces = (citation: UrlCitation, by: number): UrlCitation => {
  const { start, end } = citation
  return start === undefined || end === undefined
    ? citation
    : { ...citation, start: start + by, end: end + by }
}

/** Each page once. */
export const sourcesOf = (
  searches: readonly WebSearch[],
  citations: readonly UrlCitation[],
): readonly WebSource[] => [
  ...new Map(
    [...searches.flatMap(({ sources }) => sources), ...citations].map(source => [source.url, source]),
  ).values(),
]

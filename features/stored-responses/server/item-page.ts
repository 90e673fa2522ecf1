import { GatewayError } from '#server/core/errors.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'

const PAGE_DEFAULT = 20
const PAGE_MAX = 100

export interface ItemPageQuery {
  readonly limit: number
  /** The latest item comes first unless `order` says otherwise. */
  readonly isAscending: boolean
  /** The id of the last item before the page. */
  readonly after: string | null
}

/** Throws GatewayError `invalid_request` for an impossible limit. */
export const readPageQuery = (query: URLSearchParams): ItemPageQuery => ({
  limit: readLimit(query.get('limit')),
  isAscending: query.get('order') === 'asc',
  after: query.get('after'),
})

/** A page as OpenAI's API writes it. `items`: those of the page, and further ones where there are any. */
export function toPage(items: readonly JsonObject[], limit: number): JsonObject {
  const data = items.slice(0, limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  }
}

export const unknownAfter = (after: string): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `after：没有 ID 为 ${JSON.stringify(after)} 的条目`,
    en: `after: there is no item with the ID ${JSON.stringify(after)}`,
  })

function readLimit(text: string | null): number {
  if (text === null) return PAGE_DEFAULT
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX) return limit
  throw new GatewayError('invalid_request', {
    zh: `limit 应为 1 到 ${PAGE_MAX} 的整数，实际为 ${JSON.stringify(text)}`,
    en: `limit must be an integer from 1 to ${PAGE_MAX}, not ${JSON.stringify(text)}`,
  })
}

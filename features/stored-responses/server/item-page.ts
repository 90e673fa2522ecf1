import { GatewayError } from '#server/core/errors.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'

const PAGE_DEFAULT = 20
const PAGE_MAX = 100

/** A page as OpenAI's API writes it, the latest item first unless `order` says otherwise. */
export function toPage(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get('limit'))
  const ordered = query.get('order') === 'asc' ? items : items.toReversed()
  const after = query.get('after')
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== null && start === 0)
    throw new GatewayError('invalid_request', {
      zh: `after：没有 ID 为 ${JSON.stringify(after)} 的条目`,
      en: `after: there is no item with the ID ${JSON.stringify(after)}`,
    })
  const data = ordered.slice(start, start + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  }
}

function readLimit(text: string | null): number {
  if (text === null) return PAGE_DEFAULT
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_MAX) return limit
  throw new GatewayError('invalid_request', {
    zh: `limit 应为 1 到 ${PAGE_MAX} 的整数，实际为 ${JSON.stringify(text)}`,
    en: `limit must be an integer from 1 to ${PAGE_MAX}, not ${JSON.stringify(text)}`,
  })
}

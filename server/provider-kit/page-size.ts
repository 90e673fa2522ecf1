import { sameInBoth } from '../core/language.ts'
import { invalidRequest } from './validation.ts'

const PAGE_SIZE_MAX = 1_000

/**
 * The size of the page that a list query selects under this name, at most 1,000, which is also the default: a client that
 * does not page gets everything. Throws a GatewayError `invalid_request`.
 */
export function readPageSize(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (text === null) return PAGE_SIZE_MAX
  if (!/^[1-9]\d{0,8}$/.test(text))
    return invalidRequest(name, sameInBoth(JSON.stringify(text)), {
      zh: `从 1 到 ${PAGE_SIZE_MAX} 的整数`,
      en: `a whole number from 1 to ${PAGE_SIZE_MAX}`,
    })
  return Math.min(Number(text), PAGE_SIZE_MAX)
}

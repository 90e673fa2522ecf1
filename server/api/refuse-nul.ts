import { ApiError } from '../core/api-error.ts'

const NUL = '\u0000'

/**
 * Refuses a text with the character NUL, wherever it stands: PostgreSQL stores none, so it would be an error there and
 * nothing here. Goes through the value without recursion, however deep it is.
 */
export function refuseNul(sent: unknown): void {
  const waiting: unknown[] = [sent]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string' && value.includes(NUL)) throw holdsNul()
    if (typeof value !== 'object' || value === null) continue
    for (const [name, entry] of Object.entries(value)) waiting.push(name, entry)
  }
}

const holdsNul = (): ApiError =>
  new ApiError('invalid_parameter', {
    zh: '参数无效：文本中不能含有 NUL 字符',
    en: 'invalid parameter: a text holds the character NUL',
  })

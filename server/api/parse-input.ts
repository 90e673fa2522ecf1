import { z } from 'zod'
import { chineseIssue } from '#contract/chinese-issues.ts'
import { ApiError } from '../core/api-error.ts'
import type { Language } from '../core/language.ts'

const ISSUES_SHOWN_MAX = 3
const english = z.locales.en().localeError

/** Parses input with a schema of the contract. Throws `invalid_parameter`, which names the first invalid fields. */
export function parseInput<Value>(schema: z.ZodType<Value>, input: unknown, language: Language): Value {
  const result = schema.safeParse(input, { error: language === 'zh' ? chineseIssue : english })
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, ISSUES_SHOWN_MAX)
  const more = result.error.issues.length - issues.length
  throw new ApiError('invalid_parameter', {
    zh: `参数无效：${issues.map(issue => toSentence(issue, 'zh')).join('；')}${more > 0 ? `；另有 ${more} 处` : ''}`,
    en: `invalid parameter: ${issues.map(issue => toSentence(issue, 'en')).join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  })
}

/** Our own rules carry both languages; zod has already translated the others. */
function toSentence(issue: z.core.$ZodIssue, language: Language): string {
  const own: unknown = issue.code === 'custom' ? issue.params?.[language] : undefined
  const text = typeof own === 'string' ? own : issue.message
  return issue.path.length > 0 ? `${issue.path.join('.')}: ${text}` : text
}

const NUL = '\u0000'

/**
 * Rejects any string that contains the NUL character. PostgreSQL cannot store it, and both engines must accept the same
 * input. Iterative, so that deeply nested input cannot overflow the stack.
 */
export function rejectNul(input: unknown): void {
  const pending: unknown[] = [input]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string' && value.includes(NUL)) throw nulError()
    if (typeof value !== 'object' || value === null) continue
    for (const [name, entry] of Object.entries(value)) pending.push(name, entry)
  }
}

const nulError = (): ApiError =>
  new ApiError('invalid_parameter', {
    zh: '参数无效：文本中不能含有 NUL 字符',
    en: 'invalid parameter: text must not contain NUL characters',
  })

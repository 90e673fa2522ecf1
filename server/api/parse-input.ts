import { z } from 'zod'
import { type Language, ApiError } from '../core/api-error.ts'

const ISSUES_SHOWN_MAX = 3
const chinese = z.locales.zhCN().localeError
const english = z.locales.en().localeError

/** Reads input by a schema of the contract. Throws a refusal that names the field and says what is wrong with it. */
export function parseInput<Value>(schema: z.ZodType<Value>, input: unknown, language: Language): Value {
  const result = schema.safeParse(input, { error: language === 'zh' ? chinese : english })
  if (result.success) return result.data
  const told = result.error.issues.slice(0, ISSUES_SHOWN_MAX)
  throw new ApiError('invalid_parameter', {
    zh: `参数无效：${told.map(issue => sentence(issue, 'zh')).join('；')}`,
    en: `invalid parameter: ${told.map(issue => sentence(issue, 'en')).join('; ')}`,
  })
}

/** Rules of ours carry both languages; the others were already said in the language asked for. */
function sentence(issue: z.core.$ZodIssue, language: Language): string {
  const ours: unknown = issue.code === 'custom' ? issue.params?.[language] : undefined
  const text = typeof ours === 'string' ? ours : issue.message
  return issue.path.length > 0 ? `${issue.path.join('.')}: ${text}` : text
}

const NUL = '\u0000'

/**
 * Refuses a text with the character NUL, wherever it stands: PostgreSQL stores none, so it would be an error there and
 * nothing here. Goes through the value without recursion, however deep it is.
 */
export function rejectNul(sent: unknown): void {
  const waiting: unknown[] = [sent]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string' && value.includes(NUL)) throw nulError()
    if (typeof value !== 'object' || value === null) continue
    for (const [name, entry] of Object.entries(value)) waiting.push(name, entry)
  }
}

const nulError = (): ApiError =>
  new ApiError('invalid_parameter', {
    zh: '参数无效：文本中不能含有 NUL 字符',
    en: 'invalid parameter: a text holds the character NUL',
  })

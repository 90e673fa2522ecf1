import type { z } from 'zod'
import { type Language, Refusal } from '../kernel/refusal.ts'

const ISSUES_TOLD_MAX = 3

/** The refusal of input that broke a rule of the contract: names the field and says what is wrong with it. */
export function invalidInput(error: z.ZodError, language: Language): Refusal {
  const told = error.issues.slice(0, ISSUES_TOLD_MAX)
  const both = {
    zh: `参数无效：${told.map(issue => sentence(issue, 'zh', language)).join('；')}`,
    en: `invalid parameter: ${told.map(issue => sentence(issue, 'en', language)).join('; ')}`,
  }
  return new Refusal('invalid_parameter', both)
}

/** Rules of ours carry both languages; the others were already said in the language asked for. */
function sentence(issue: z.core.$ZodIssue, wanted: Language, said: Language): string {
  const ours = issue.code === 'custom' ? issue.params?.[wanted] : undefined
  const text = typeof ours === 'string' ? ours : issue.message
  const field = issue.path.join('.')
  return field && wanted === said ? `${field}: ${text}` : text
}

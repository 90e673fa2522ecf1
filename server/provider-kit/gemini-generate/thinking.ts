import { entryOf } from '../../core/entry-of.ts'
import type { ChatBody, JsonObject } from '../chat.ts'
import { outputLimitOf } from '../chat-request.ts'

const SUFFIX = /-(nothinking|thinking(?:-(\d+))?)$/
const BUDGET_SHARE = 0.8
const BUDGET_OF_EFFORT: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
}

export const withoutThinkingSuffix = (model: string): string => model.replace(SUFFIX, '')

/**
 * `thinkingConfig` for what the model's name or the client asks; undefined where neither does, or the model does not
 * think. Source: ai.google.dev/gemini-api/docs/thinking
 */
export function toThinkingConfig(name: string, body: ChatBody): JsonObject | undefined {
  const model = withoutThinkingSuffix(name)
  const effort = body.reasoning_effort ?? undefined
  if (/^gemini-[3-9]/.test(model)) return toLevel(name, effort)
  if (!model.startsWith('gemini-2.5')) return undefined
  const budget = toBudget(name, effort, outputLimitOf(body))
  if (budget === undefined) return SUFFIX.test(name) ? { includeThoughts: true } : undefined
  const [least, most] = model.includes('pro') ? [128, 32_768] : [0, 24_576]
  const thinkingBudget = Math.min(Math.max(budget, least), most)
  return { thinkingBudget, includeThoughts: thinkingBudget > 0 }
}

function toBudget(name: string, effort: string | undefined, limit: number | undefined): number | undefined {
  const [, word, exact] = SUFFIX.exec(name) ?? []
  if (word === 'nothinking') return 0
  if (exact !== undefined) return Number(exact)
  if (effort !== undefined) return entryOf(BUDGET_OF_EFFORT, effort)
  return word !== undefined && limit !== undefined ? Math.floor(limit * BUDGET_SHARE) : undefined
}

function toLevel(name: string, effort: string | undefined): JsonObject | undefined {
  const [, word] = SUFFIX.exec(name) ?? []
  const least = name.includes('flash') ? 'minimal' : 'low'
  if (word === 'nothinking' || effort === 'none' || effort === 'minimal')
    return { thinkingLevel: least, includeThoughts: false }
  if (effort !== undefined) return { thinkingLevel: effort, includeThoughts: true }
  return word === undefined ? undefined : { thinkingLevel: 'high', includeThoughts: true }
}

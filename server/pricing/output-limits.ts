import { ownEntry } from '../core/json/json.ts'
import { findFamily } from './catalogue.ts'

/** For models that the catalogue does not know. */
const OUTPUT_LIMIT = 131_072

const LIMITS_CACHED_MAX = 10_000
const cache = new Map<string, number>()

/** The longest answer of a model in tokens: the administrator's figure, else that of the catalogue. */
export function outputLimit(model: string, limits: Readonly<Record<string, number>>): number {
  const configured = ownEntry(limits, model)
  if (configured !== undefined) return configured
  const cached = cache.get(model)
  if (cached !== undefined) return cached
  const limit = findFamily(model)?.output_limit ?? OUTPUT_LIMIT
  // Clients choose the names.
  if (cache.size >= LIMITS_CACHED_MAX) cache.clear()
  cache.set(model, limit)
  return limit
}

/** Providers that deliver no thoughts, or only a summary of them. */
const HIDES_THOUGHTS = new Set(['openai', 'google', 'xai'])
/** Thinks not, against what the catalogue's sources say. */
const THINKS_NOT = /^gpt-5-chat/
/** Names of thinking models that the catalogue does not know. */
const THINKS_BY_NAME = /^(o[134]|codex)|-think|reasoner|reasoning/i

/** Whether a model is charged for thoughts that it does not deliver. */
export function thinksUnseen(model: string): boolean {
  const known = findFamily(model)
  const isHidden =
    known !== undefined && HIDES_THOUGHTS.has(known.vendor) && known.abilities.includes('reasoning')
  return (isHidden && !THINKS_NOT.test(model)) || THINKS_BY_NAME.test(model)
}

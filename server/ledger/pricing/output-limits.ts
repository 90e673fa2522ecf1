import { ownEntry } from '../../core/json.ts'

/** The longest answers of known model families in tokens, thoughts included. The first match counts. */
const OUTPUT_LIMITS: readonly (readonly [family: RegExp, tokens: number])[] = [
  [/realtime/, 4_096],
  [/^gpt-3\.5|^gpt-4-(1106|0125|turbo|vision)|^gpt-4-\d+-preview|^gpt-4o-2024-05-13$/, 4_096],
  [/^gpt-4-32k|^gpt-4\.1|^o1-preview/, 32_768],
  [/^gpt-4o-64k|^o1-mini/, 65_536],
  [/^gpt-4o|^gpt-4\.5|^chatgpt-4o/, 16_384],
  [/^gpt-4(-0|-all|$)/, 8_192],
  [/^gpt-5.*-pro/, 272_000],
  [/^gpt-5|^codex/, 128_000],
  [/^o[134]/, 100_000],
  [/claude-3-(opus|sonnet|haiku)|claude-instant|claude-2/, 4_096],
  [/claude-3-5/, 8_192],
  [/claude/, 128_000],
  [/^gemini-(pro|1|2\.0-flash(?!-thinking))/, 8_192],
  [/^gemini/, 65_536],
  [/^deepseek/i, 65_536],
  [/^command/, 32_768],
  [/^kimi/i, 262_144],
]
/** For models of no known family. */
const OUTPUT_LIMIT = 131_072

const LIMITS_CACHED_MAX = 10_000
const cache = new Map<string, number>()

/** The longest answer of a model in tokens: the administrator's figure, else that of its family. */
export function outputLimit(model: string, limits: Readonly<Record<string, number>>): number {
  const configured = ownEntry(limits, model)
  if (configured !== undefined) return configured
  const cached = cache.get(model)
  if (cached !== undefined) return cached
  const limit = OUTPUT_LIMITS.find(([family]) => family.test(model))?.[1] ?? OUTPUT_LIMIT
  // Clients choose the names.
  if (cache.size >= LIMITS_CACHED_MAX) cache.clear()
  cache.set(model, limit)
  return limit
}

/** Models that are charged for thoughts that they do not deliver, or only a summary of. */
const THINKS_UNSEEN = /^(o[134]|gpt-5(?!-chat)|codex|gemini-(2\.5|3)|grok-4)|-think|reasoner|reasoning/i

export const thinksUnseen = (model: string): boolean => THINKS_UNSEEN.test(model)

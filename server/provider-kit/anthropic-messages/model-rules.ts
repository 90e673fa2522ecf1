/** What differs between Claude models. Source: docs.claude.com/en/docs/about-claude/models */
export interface ModelRules {
  readonly outputTokensMax: number
  /** `budget`: told how many tokens to think; `adaptive`: told how hard. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** Later models refuse the two together. */
  readonly takesTopPWithTemperature: boolean
  /** Knows `output_config.format` and strict tools. */
  readonly takesSchema: boolean
}

type Rule = readonly [pattern: RegExp, rules: ModelRules]

const rules = (
  outputTokensMax: number,
  thinking: ModelRules['thinking'],
  generation: 3 | 4 | 4.5,
): ModelRules => ({
  outputTokensMax,
  thinking,
  takesTopPWithTemperature: generation === 3,
  takesSchema: generation === 4.5,
})

/** The first match counts; a name of none of these patterns is a later model than all of them. */
const RULES: readonly Rule[] = [
  [/^claude-(?:instant|1|2)/, rules(4_096, 'none', 3)],
  [/^claude-3-7/, rules(64_000, 'budget', 3)],
  [/^claude-3-5/, rules(8_192, 'none', 3)],
  [/^claude-3-/, rules(4_096, 'none', 3)],
  [/^claude-opus-4-1/, rules(32_000, 'budget', 4.5)],
  [/^claude-opus-4(?:-0|-\d{8}|@|$)/, rules(32_000, 'budget', 4)],
  [/^claude-sonnet-4(?:-0|-\d{8}|@|$)/, rules(64_000, 'budget', 4)],
  [/^claude-[a-z]+-4-5/, rules(64_000, 'budget', 4.5)],
]
const LATEST_RULES = rules(128_000, 'adaptive', 4.5)

export const rulesOf = (model: string): ModelRules =>
  RULES.find(([pattern]) => pattern.test(model))?.[1] ?? LATEST_RULES

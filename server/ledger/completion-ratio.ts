interface Rule {
  readonly test: RegExp
  readonly ratio: number
}

const rule = (test: RegExp, ratio: number): Rule => ({ test, ratio })

/** The first rule that fits counts. Figures are what vendors ask for an output token, in input tokens. */
const RULES: readonly Rule[] = [
  rule(/^gpt-4.*(-all|-gizmo-\*)$/, 1),
  rule(/^gpt-4o-mini-tts/, 20),
  rule(/^gpt-realtime/, 4),
  rule(/^gpt-image-1-mini/, 4),
  rule(/^gpt-image-/, 8),
  rule(/^gpt-4o-2024-05-13$/, 3),
  rule(/^gpt-4o/, 4),
  rule(/^gpt-4\.5-preview/, 2),
  rule(/^gpt-4-turbo/, 3),
  rule(/^gpt-4.*-(1105|1106)$/, 3),
  rule(/^gpt-4-(1106|0125|vision|1106-vision)-preview$/, 3),
  rule(/^gpt-4\.1/, 4),
  rule(/^gpt-4/, 2),
  rule(/^gpt-5/, 8),
  rule(/^o[134]/, 4),
  rule(/^chatgpt-4o-latest$/, 3),
  rule(/claude-instant-1|claude-2/, 3),
  rule(/claude-(3|opus|sonnet|haiku)/, 5),
  rule(/^gpt-3\.5(-turbo|.*0125)$/, 3),
  rule(/^gpt-3\.5.*1106$/, 2),
  rule(/^gpt-3\.5/, 4 / 3),
  rule(/^mistral-/, 3),
  rule(/^gemini-(1\.5|2\.0)/, 4),
  rule(/^gemini-2\.5-pro($|-preview)/, 8),
  rule(/^gemini-2\.5-flash(?!-lite|-preview)/, 25 / 3),
  rule(/^gemini-3/, 6),
  rule(/^gemini-/, 4),
  rule(/^command-r$/, 3),
  rule(/^command-r-plus$/, 5),
  rule(/^command/, 4),
  rule(/^deepseek-(chat|reasoner)$/i, 4),
  rule(/^ERNIE-(Speed-|Lite-|Character|Functions)/, 2),
  rule(/^llama2-70b-4096$/, 0.8 / 0.64),
  rule(/^llama3-8b-8192$/, 2),
  rule(/^llama3-70b-8192$/, 1.338_983_050_847_457_6),
]

/** What an output token costs in input tokens where the administrator has said nothing. */
export const defaultCompletionRatio = (model: string): number =>
  RULES.find(({ test }) => test.test(model))?.ratio ?? 1

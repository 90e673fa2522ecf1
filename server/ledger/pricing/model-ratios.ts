interface RatioRule {
  readonly test: RegExp
  readonly ratio: number
}

const rule = (test: RegExp, ratio: number): RatioRule => ({ test, ratio })

/** The first rule that fits counts. Figures are what vendors ask for an output token, in input tokens. */
const COMPLETION_RULES: readonly RatioRule[] = [
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
  COMPLETION_RULES.find(({ test }) => test.test(model))?.ratio ?? 1

interface AudioRatioRule {
  readonly test: RegExp
  readonly ratio: number
}

const AUDIO_RULES: readonly AudioRatioRule[] = [
  { test: /gpt-4o-realtime-preview-2024-12-17$/, ratio: 8 },
  { test: /-realtime.*mini|mini.*-realtime/, ratio: 50 / 3 },
  { test: /^gpt-realtime/, ratio: 8 },
  { test: /-realtime/, ratio: 20 },
  { test: /gpt-4o-audio-preview-2024-12-17$/, ratio: 16 },
  { test: /-audio.*mini|mini.*-audio/, ratio: 200 / 3 },
  { test: /-audio/, ratio: 40 },
  { test: /^gpt-4o(-mini)?-transcribe/, ratio: 2.4 },
]

export interface AudioRatios {
  /** What a token of heard sound costs, in text input tokens. */
  readonly input: number
  /** What a token of spoken sound costs, in tokens of heard sound. */
  readonly completion: number
}

const AUDIO_COMPLETION_RATIO = 2

/** Absent for models that do not price sound apart: there it costs what text costs. */
export function defaultAudioRatios(model: string): AudioRatios | undefined {
  const input = AUDIO_RULES.find(({ test }) => test.test(model))?.ratio
  return input === undefined ? undefined : { input, completion: AUDIO_COMPLETION_RATIO }
}

interface ImageRatioRule {
  readonly test: RegExp
  readonly ratio: number
}

/** Source: platform.openai.com/docs/pricing, image tokens against text tokens that go in */
const IMAGE_RULES: readonly ImageRatioRule[] = [
  { test: /^gpt-image-1-mini/, ratio: 1.25 },
  { test: /^gpt-image-1\.5/, ratio: 1.6 },
  { test: /^gpt-image-/, ratio: 2 },
]

/** What a token of a picture that goes in costs, in text input tokens. Absent where it costs what text costs. */
export const defaultImageRatio = (model: string): number | undefined =>
  IMAGE_RULES.find(({ test }) => test.test(model))?.ratio

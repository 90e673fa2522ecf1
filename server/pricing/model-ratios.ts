/** Ratios of known model families, for models without a ratio in the settings. In each table the first match counts. */
interface RatioRule {
  readonly test: RegExp
  readonly ratio: number
}

const rule = (test: RegExp, ratio: number): RatioRule => ({ test, ratio })

const findRatio = (rules: readonly RatioRule[], model: string): number | undefined =>
  rules.find(({ test }) => test.test(model))?.ratio

/** The published price of an output token divided by that of an input token. */
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
  // Prices that the specification fixes for input and output alike.
  rule(/^(deepseek-coder|qwen-plus|qwen-turbo)$/, 1),
  rule(/^ERNIE-(Speed-|Lite-|Character|Functions)/, 2),
  rule(/^llama2-70b-4096$/, 0.8 / 0.64),
  rule(/^llama3-8b-8192$/, 2),
  rule(/^llama3-70b-8192$/, 1.338_983_050_847_457_6),
]

/** The price of an output token in input tokens. Undefined for unknown families. */
export const findCompletionRatio = (model: string): number | undefined => findRatio(COMPLETION_RULES, model)

/** The published price of an audio input token divided by that of a text input token. */
const AUDIO_RULES: readonly RatioRule[] = [
  rule(/gpt-4o-realtime-preview-2024-12-17$/, 8),
  rule(/-realtime.*mini|mini.*-realtime/, 50 / 3),
  rule(/^gpt-realtime/, 8),
  rule(/-realtime/, 20),
  rule(/gpt-4o-audio-preview-2024-12-17$/, 16),
  rule(/-audio.*mini|mini.*-audio/, 200 / 3),
  rule(/-audio/, 40),
  rule(/^gpt-4o(-mini)?-transcribe/, 2.4),
]

const AUDIO_COMPLETION_RATIO = 2

export interface AudioRatios {
  /** The price of an audio input token in text input tokens. */
  readonly input: number
  /** The price of an audio output token in audio input tokens. */
  readonly completion: number
}

/** Undefined for models that price audio like text. */
export function defaultAudioRatios(model: string): AudioRatios | undefined {
  const input = findRatio(AUDIO_RULES, model)
  return input === undefined ? undefined : { input, completion: AUDIO_COMPLETION_RATIO }
}

/** The price of an image input token divided by that of a text input token. Source: platform.openai.com/docs/pricing */
const IMAGE_RULES: readonly RatioRule[] = [
  rule(/^gpt-image-1-mini/, 1.25),
  rule(/^gpt-image-1\.5/, 1.6),
  rule(/^gpt-image-/, 2),
]

/** The price of an image input token in text input tokens. Undefined for models that price images like text. */
export const defaultImageRatio = (model: string): number | undefined => findRatio(IMAGE_RULES, model)

interface Rule {
  readonly test: RegExp
  readonly ratio: number
}

const RULES: readonly Rule[] = [
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

const SPOKEN_TO_HEARD = 2

/** Absent for models that do not price sound apart: there it costs what text costs. */
export function audioRatiosOf(model: string): AudioRatios | undefined {
  const input = RULES.find(({ test }) => test.test(model))?.ratio
  return input === undefined ? undefined : { input, completion: SPOKEN_TO_HEARD }
}

interface Rule {
  readonly test: RegExp
  readonly ratio: number
}

/** Source: platform.openai.com/docs/pricing, image tokens against text tokens that go in */
const RULES: readonly Rule[] = [
  { test: /^gpt-image-1-mini/, ratio: 1.25 },
  { test: /^gpt-image-1\.5/, ratio: 1.6 },
  { test: /^gpt-image-/, ratio: 2 },
]

/** What a token of a picture that goes in costs, in text input tokens. Absent where it costs what text costs. */
export const imageRatioOf = (model: string): number | undefined =>
  RULES.find(({ test }) => test.test(model))?.ratio

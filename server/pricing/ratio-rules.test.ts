import { expect, test } from 'bun:test'
import { testPrices } from '../testing/test-prices.ts'
import ratios from './fixtures/completion-ratios.json'
import { findCompletionRatio } from './ratio-rules.ts'

/** The recorded ratios of these models are known to be wrong; these are the published ones. */
const CORRECTED: Readonly<Record<string, number>> = {
  'gpt-4-1106-preview': 3,
  'gpt-4-0125-preview': 3,
  'gpt-4-vision-preview': 3,
  'gpt-4-1106-vision-preview': 3,
  'gpt-4-gizmo-g-abc': 2,
  'gpt-4o-gizmo-g-abc': 3,
  'gpt-4.1': 4,
  'o4-mini': 4,
  'gemini-3': 6,
}

const familyRatios = { 'gpt-4-all': 2, 'gpt-4-gizmo-*': 2, 'gpt-4o-gizmo-*': 3 }
const modelNames = Object.keys(ratios)
const prices = testPrices({
  ModelRatio: Object.fromEntries([...modelNames, ...Object.keys(familyRatios)].map(name => [name, 1])),
  CompletionRatio: familyRatios,
})

for (const [model, ratio] of Object.entries(ratios))
  test(`prices an output token of ${model} at ${CORRECTED[model] ?? ratio} input tokens`, () => {
    expect(prices.find(model)?.figures.completion_ratio).toBe(CORRECTED[model] ?? ratio)
  })

test.each([
  ['gpt-5.4-turbo', 8],
  ['gpt-4.1-2026-01-01', 4],
  ['claude-opus-9', 5],
  ['anthropic/claude-sonnet-9', 5],
  ['gemini-2.5-flash-002', 25 / 3],
  ['gemini-2.5-flash-lite-002', 4],
  ['o4-mini-high', 4],
])('prices an output token of the unlisted model %s like its family, at %d input tokens', (model, ratio) => {
  expect(findCompletionRatio(model)).toBe(ratio)
})

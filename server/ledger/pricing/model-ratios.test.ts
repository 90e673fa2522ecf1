import { expect, test } from 'bun:test'
import ratios from './fixtures/completion-ratios.json'
import { defaultCompletionRatio } from './model-ratios.ts'
import { getPrice, type PriceTable } from './price.ts'

/** What the recorded rule says of these names is known to be wrong; this is what their vendor asks. */
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

const family = { 'gpt-4-all': 2, 'gpt-4-gizmo-*': 2, 'gpt-4o-gizmo-*': 3 }
const everyName = Object.keys(ratios)
const table: PriceTable = {
  modelRatio: Object.fromEntries([...everyName, ...Object.keys(family)].map(name => [name, 1])),
  modelPrice: {},
  completionRatio: family,
  cacheRatio: {},
  createCacheRatio: {},
  groupRatio: { default: 1 },
}

for (const [model, ratio] of Object.entries(ratios))
  test(`the completion ratio of ${model} is ${CORRECTED[model] ?? ratio}`, () => {
    const { figures } = getPrice(table, { model, group: 'default' })
    expect(figures.completion_ratio).toBe(CORRECTED[model] ?? ratio)
  })

test.each([
  ['gpt-5.4-turbo', 8],
  ['gpt-4.1-2026-01-01', 4],
  ['claude-opus-9', 5],
  ['anthropic/claude-sonnet-9', 5],
  ['gemini-2.5-flash-002', 25 / 3],
  ['gemini-2.5-flash-lite-002', 4],
  ['o4-mini-high', 4],
])('a name of the family of %s, which no list holds, costs %d an output token', (model, ratio) => {
  expect(defaultCompletionRatio(model)).toBe(ratio)
})

import { expect, test } from 'bun:test'
import type { JsonObject } from '../json.ts'
import { toMappedBody } from './mapped-body.ts'

const ADAPTIVE = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } })

test.each<[string, string, JsonObject, JsonObject]>([
  ['claude-opus-4-8', 'no sampling', { temperature: 1, top_p: 0.9, top_k: 4 }, {}],
  ['claude-sonnet-4-5', 'sampling', { temperature: 1 }, { temperature: 1 }],
  ['claude-opus-4-8', 'an effort instead of a budget', budget(2_000), { thinking: { type: 'adaptive' } }],
  ['claude-opus-4-8', 'an effort', ADAPTIVE, ADAPTIVE],
  ['claude-sonnet-4-5', 'a budget instead of an effort', ADAPTIVE, budget(4_000)],
  ['claude-sonnet-4-5', 'a budget', budget(2_000), budget(2_000)],
  ['claude-sonnet-4-5', 'a budget below the limit', budget(9_000), budget(4_000)],
  [
    'claude-sonnet-4-5',
    'no thinking',
    { thinking: { type: 'disabled' } },
    { thinking: { type: 'disabled' } },
  ],
  ['claude-3-haiku-20240307', 'nothing to think with', ADAPTIVE, {}],
  ['glm-4.6', 'what the client sent', { ...budget(9_000), top_k: 4 }, { ...budget(9_000), top_k: 4 }],
])('%s, which the client did not name, is sent %s', (model, _, body, expected) => {
  expect(toMappedBody({ max_tokens: 9_000, ...body }, { model, outputTokensMax: 5_000 })).toEqual({
    max_tokens: 5_000,
    ...expected,
  })
})

import { ANTHROPIC, GEMINI, once } from '../../../../tests/golden/cases/operations.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

export const golden: GoldenCases = {
  'tokens counted for Anthropic': once({
    path: '/v1/messages/count_tokens',
    ...ANTHROPIC,
    body: { model: 'claude-sonnet-4-5-20250929', messages: [{ role: 'user', content: 'hello, hello' }] },
  }),
  'tokens counted for Gemini': once({
    path: '/v1beta/models/gemini-2.5-flash:countTokens',
    ...GEMINI,
    body: { contents: [{ role: 'user', parts: [{ text: 'hello, hello' }] }] },
  }),
  'tokens counted for Responses': once({
    path: '/v1/responses/input_tokens',
    body: { model: 'gpt-4o-mini', input: 'hello, hello' },
  }),
}

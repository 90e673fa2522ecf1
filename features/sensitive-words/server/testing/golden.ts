import { chatCall } from '../../../../tests/golden/cases/chat-calls.ts'
import { DIALECTS } from '../../../../tests/golden/golden-site.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

export const golden: GoldenCases = Object.fromEntries(
  DIALECTS.map(dialect => {
    const call = chatCall(dialect, { model: 'gpt-4o-mini', text: 'this is test_sensitive, is it not' })
    return [`a sensitive word: ${dialect}`, async client => void (await client.call(call))]
  }),
)

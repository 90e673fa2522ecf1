import type { AnswerContext } from '../provider-kit/client-dialect.ts'

/** What a writer knows of a request beside the answer, for tests. */
export const contextOf = (known: Partial<AnswerContext> = {}): AnswerContext => ({
  requestId: 'request-1',
  model: 'asked',
  nowSeconds: 1_751_300_000,
  wantsUsage: true,
  inputTokens: 7,
  address: {},
  repeated: {},
  ...known,
})

import type { ResponseContext } from '../provider-kit/contract/client-dialect.ts'

/** The response context of a request, for tests. */
export const responseContext = (overrides: Partial<ResponseContext> = {}): ResponseContext => ({
  requestId: 'request-1',
  model: 'asked',
  nowSeconds: 1_751_300_000,
  wantsUsage: true,
  inputTokens: 7,
  urlParams: {},
  echoedFields: {},
  ...overrides,
})

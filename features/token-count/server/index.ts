import { defineFeature } from '#server/feature.ts'
import { at, geminiPath } from '#server/relay/routes/routes.ts'
import { tokenCount } from './count-tokens.ts'

export const feature = defineFeature({
  start: () => ({
    paths: [
      at('POST', '/v1/responses/input_tokens', tokenCount, 'responses'),
      at('POST', '/v1/messages/count_tokens', tokenCount, 'anthropic'),
      at('POST', geminiPath('countTokens'), tokenCount, 'gemini'),
    ],
  }),
})

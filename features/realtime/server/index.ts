import { defineFeature } from '#server/feature.ts'
import { modelOperation } from '#server/relay/operations/model-operation.ts'
import { at } from '#server/relay/routes/routes.ts'
import { realtime } from './realtime.ts'

export const feature = defineFeature({
  start: () => ({
    paths: [at('GET', '/v1/realtime', modelOperation(realtime))],
  }),
})

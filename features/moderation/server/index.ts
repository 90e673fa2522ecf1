import { defineFeature } from '#server/feature.ts'
import { model } from '#server/relay/routes/routes.ts'
import { moderation } from './moderation.ts'

export const feature = defineFeature({
  start: () => ({
    paths: [model('/v1/moderations', moderation)],
  }),
})

import { defineFeature } from '#server/feature.ts'
import { model } from '#server/relay/routes/routes.ts'
import { completions, fim } from './completions.ts'

export const feature = defineFeature({
  start: () => ({
    paths: [
      model('/v1/completions', completions),
      model(/^\/v1\/engines\/(?<model>[^/]+)\/completions$/, completions),
      model('/v1/fim/completions', fim),
    ],
  }),
})

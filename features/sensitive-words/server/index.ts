import { defineFeature } from '#server/feature.ts'
import { createWordInspector } from './sensitive-words.ts'

export const feature = defineFeature({
  start: ({ settings }) => ({
    relay: { inspectRequest: createWordInspector(() => settings.current().values) },
  }),
})

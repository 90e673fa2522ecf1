import { defineFeature } from '#server/feature.ts'
import { options } from '../options.ts'
import { createWordInspector } from './sensitive-words.ts'

export const feature = defineFeature({
  options,
  start: ({ settings }) => ({
    relay: { inspectRequest: createWordInspector(() => settings.of(options)) },
  }),
})

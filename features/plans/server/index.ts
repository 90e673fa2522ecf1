import { defineFeature } from '#server/feature.ts'

export const feature = defineFeature({})

import { defineFeature } from '#server/feature.ts'
import { routes } from './api/index.ts'

export const feature = defineFeature({ start: () => ({ routes }) })

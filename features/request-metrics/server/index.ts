import { defineFeature } from '#server/feature.ts'
import { observeInto } from './request-metrics.ts'

export const feature = defineFeature({ start: ({ metrics }) => ({ observer: observeInto(metrics) }) })

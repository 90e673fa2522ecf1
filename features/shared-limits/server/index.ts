import { defineFeature } from '#server/feature.ts'
import { watchStore } from './watch-store.ts'

export const feature = defineFeature({ start: services => ({ jobs: watchStore(services) }) })

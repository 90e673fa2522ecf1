import { defineFeature } from '#server/feature.ts'
import { routes } from './api/index.ts'
import { taskPaths } from './paths.ts'

export const feature = defineFeature({ start: () => ({ routes, taskPaths }) })

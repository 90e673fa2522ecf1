import { defineFeature } from '#server/feature.ts'
import { taskPaths } from '#server/relay/tasks/task-operations.ts'
import { respondWithTask, respondWithTasks } from '#server/relay/tasks/task-responses.ts'
import { routes } from './api/index.ts'
import { music } from './music.ts'

const { submit, lookUp } = taskPaths(music)

export const feature = defineFeature({
  start: () => ({
    routes,
    paths: [
      submit(/^\/suno\/submit\/(?<kind>[^/]+)$/),
      lookUp('POST', /^\/suno\/fetch$/, respondWithTasks),
      lookUp('GET', /^\/suno\/fetch\/(?<id>[^/]+)$/, respondWithTask),
    ],
  }),
})

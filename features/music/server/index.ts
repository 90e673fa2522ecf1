import { defineFeature } from '#server/feature.ts'
import { routes } from './api/index.ts'
import { music } from './music.ts'

export const feature = defineFeature({
  start: () => ({
    routes,
    taskPaths: [
      { method: 'POST', path: /^\/suno\/submit\/(?<kind>[^/]+)$/, platform: music, work: 'submit' },
      { method: 'POST', path: /^\/suno\/fetch$/, platform: music, work: 'list' },
      { method: 'GET', path: /^\/suno\/fetch\/(?<id>[^/]+)$/, platform: music, work: 'fetch' },
    ],
  }),
})

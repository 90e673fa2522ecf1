import { defineFeature } from '#server/feature.ts'
import { deleteAt, get, post } from '#server/relay/routes/routes.ts'
import { callInteraction } from './interactions.ts'

const STORED = /^\/v1beta\/interactions\/(?<id>[^/:]+)$/
const CANCEL = /^\/v1beta\/interactions\/(?<id>[^/:]+)\/cancel$/

export const feature = defineFeature({
  start({ channels, rateLimiter, send, relay }) {
    const deps = { ...relay, channels, rateLimiter, send }
    return {
      paths: [
        get(STORED, query => callInteraction(query, deps), 'interactions'),
        deleteAt(STORED, query => callInteraction(query, deps), 'interactions'),
        post(CANCEL, query => callInteraction(query, deps), 'interactions'),
      ],
    }
  },
})

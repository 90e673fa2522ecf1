import { defineFeature } from '#server/feature.ts'
import { get } from '#server/relay/routes/routes.ts'
import { listVoices } from './list-voices.ts'
import { createVoiceLists } from './voice-lists.ts'

export const feature = defineFeature({
  start({ channels, send }) {
    const deps = { channels, voiceLists: createVoiceLists(send) }
    return { paths: [get('/v1/audio/voices', query => listVoices(query, deps))] }
  },
})

import { defineFeature } from '#server/feature.ts'
import { model } from '#server/relay/routes/routes.ts'
import { speech, transcription, translation } from './audio.ts'

export const feature = defineFeature({
  start: () => ({
    paths: [
      model('/v1/audio/speech', speech),
      model('/v1/audio/transcriptions', transcription),
      model('/v1/audio/translations', translation),
    ],
  }),
})

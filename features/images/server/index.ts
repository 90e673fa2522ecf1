import { defineFeature } from '#server/feature.ts'
import { model } from '#server/relay/routes/routes.ts'
import { imageEdits, images, imageVariations } from './images.ts'

export const feature = defineFeature({
  start: () => ({
    paths: [
      model('/v1/images/generations', images),
      model('/v1/images/edits', imageEdits),
      model('/v1/images/variations', imageVariations),
    ],
  }),
})

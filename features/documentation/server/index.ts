import { defineFeature } from '#server/feature.ts'
import { createDocumentation } from './documentation.ts'

export const feature = defineFeature({
  start({ docsFolder }) {
    const respond = createDocumentation(docsFolder)
    return { plainRoutes: ['/docs', '/docs/*'].map(path => ({ path, respond })) }
  },
})

import { defineFeature } from '#server/feature.ts'
import { routes as reauthentication } from './reauthentication/index.ts'
import { routes as session } from './session/index.ts'
import { routes as verification } from './verification/index.ts'

export const feature = defineFeature({
  start: () => ({ routes: [...reauthentication, ...session, ...verification] }),
})

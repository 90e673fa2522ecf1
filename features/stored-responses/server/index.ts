import type { OptionValues } from '#contract/options/system-options.ts'
import { deriveOnChange } from '#server/core/derive-on-change.ts'
import { MIB } from '#server/core/limits.ts'
import { defineFeature } from '#server/feature.ts'
import { BackgroundResponses } from './background/background-responses.ts'
import type { ResponseStoreLimits } from './conversation-store.ts'
import { createPaths } from './paths.ts'
import { ResponseStore } from './response-store.ts'
import { createStoredRequests } from './stored-requests.ts'

export const feature = defineFeature({
  start(services) {
    const { settings, relay } = services
    const limits = deriveOnChange(() => settings.current().values, toLimits)
    const responseStore = new ResponseStore({ ...services, limits })
    const backgroundResponses = new BackgroundResponses(services)
    return {
      paths: createPaths({ ...services, ...relay, responseStore, backgroundResponses }),
      relay: createStoredRequests({ ...relay, responseStore, backgroundResponses }),
      stop: () => backgroundResponses.stop(),
    }
  },
})

const toLimits = (options: OptionValues): ResponseStoreLimits => ({
  isEnabled: options.ResponseStoreEnabled,
  days: options.ResponseStoreDays,
  bytesMax: options.ResponseStoreMegabytes * MIB,
})

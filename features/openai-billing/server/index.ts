import { defineFeature } from '#server/feature.ts'
import { get } from '#server/relay/routes/routes.ts'
import { getSubscription, getUsage } from './openai-billing.ts'

export const feature = defineFeature({
  start({ db, rateLimiter, settings }) {
    const deps = { db, rateLimiter, options: () => settings.current().values }
    return {
      paths: [
        get(/^(\/v1)?\/dashboard\/billing\/subscription$/, query => getSubscription(query, deps)),
        get(/^(\/v1)?\/dashboard\/billing\/usage$/, query => getUsage(query, deps)),
      ],
    }
  },
})

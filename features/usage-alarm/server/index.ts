import { defineFeature } from '#server/feature.ts'
import { createUsageAlarm } from './usage-alarm.ts'

export const feature = defineFeature({
  start({ db, log, rootNotifier }) {
    const alarm = createUsageAlarm({ db, log, notify: rootNotifier.usageAlarm })
    return {
      relay: {
        settled({ channel, response }) {
          if (!response) return
          const { request, outcome } = response
          const { usage, provenance, rejectedUsage } = outcome
          if (rejectedUsage) alarm.report(channel, request, rejectedUsage)
          if (provenance === 'upstream') alarm.compare(channel, request, usage)
          const { separate } = usage
          if (separate && Object.keys(separate).length > 0) alarm.warn(channel, request, separate)
        },
      },
    }
  },
})

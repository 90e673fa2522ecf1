import { defineFeature } from '#server/feature.ts'
import { createUsageAlarm } from './usage-alarm.ts'

export const feature = defineFeature({
  start: ({ db, log, rootNotifier }) => ({
    relay: { settled: createUsageAlarm({ db, log, notify: rootNotifier.usageAlarm }) },
  }),
})

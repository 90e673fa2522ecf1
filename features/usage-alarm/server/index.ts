import { defineFeature } from '#server/feature.ts'
import { createUsageAlarm } from './usage-alarm.ts'

export const feature = defineFeature({
  start: ({ db, log, metrics, rootNotifier }) => ({
    relay: { settled: createUsageAlarm({ db, log, metrics, notify: rootNotifier.notify }) },
  }),
})

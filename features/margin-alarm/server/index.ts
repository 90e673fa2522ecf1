import { defineFeature } from '#server/feature.ts'
import { options } from '../options.ts'
import { createMarginAlarm } from './margin-alarm.ts'

export const feature = defineFeature({
  options,
  start: ({ db, log, channels, settings, rootNotifier }) => ({
    relay: {
      settled: createMarginAlarm({
        db,
        log,
        channels,
        options: () => settings.of(options),
        rootNotifier,
      }),
    },
  }),
})

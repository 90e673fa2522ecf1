import { defineFeature } from '#server/feature.ts'
import { createMarginAlarm } from './margin-alarm.ts'

export const feature = defineFeature({
  start: ({ db, log, channels, settings, rootNotifier }) => ({
    relay: {
      settled: createMarginAlarm({
        db,
        log,
        channels,
        options: () => settings.current().values,
        notify: rootNotifier.soldBelowCost,
        notifyModelStopped: rootNotifier.modelStopped,
        notifyChannelDisabled: rootNotifier.channelDisabled,
      }),
    },
  }),
})

import { defineFeature } from '#server/feature.ts'
import { createMarginAlarm } from './margin-alarm.ts'

export const feature = defineFeature({
  start(services) {
    const { db, log, channels, settings, rootNotifier } = services
    const alarm = createMarginAlarm({
      db,
      log,
      channels,
      options: () => settings.current().values,
      notify: rootNotifier.soldBelowCost,
      notifyModelStopped: rootNotifier.modelStopped,
      notifyChannelDisabled: rootNotifier.channelDisabled,
    })
    return {
      relay: {
        settled({ requestId, model, channel, charge, costNanos }) {
          if (charge === undefined || costNanos === undefined) return
          alarm.record({ channel, model, requestId, quota: charge, costNanos })
        },
      },
    }
  },
})

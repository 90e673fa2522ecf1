import { handle } from '#server/api/handle.ts'
import { formatQuota } from '#server/core/money.ts'
import { defineFeature } from '#server/feature.ts'
import { listUsageSpikes } from '../contract.ts'
import { options } from '../options.ts'
import { createSpikeWatch } from './spikes.ts'
import { createUsageAlarm } from './usage-alarm.ts'

export const feature = defineFeature({
  options,
  start({ db, log, metrics, settings, rootNotifier: { notify } }) {
    const spikes = createSpikeWatch({
      db,
      log,
      notify,
      threshold: () => settings.of(options).UsageSpikeThreshold,
      formatAmount: units => formatQuota(units, settings.current().values),
    })
    return {
      relay: { settled: createUsageAlarm({ db, log, metrics, notify }) },
      routes: [handle(listUsageSpikes, async () => [...(await spikes.current())])],
      jobs: [spikes.job],
    }
  },
})

import { handle } from '#server/api/handle.ts'
import { everyMs } from '#server/core/clock.ts'
import { defineFeature } from '#server/feature.ts'
import { listChannelHealth } from '../contract.ts'
import { channelAttempts } from '../migrations/0039-channel-attempts.ts'
import { lastSuccess } from '../migrations/0071-last-success.ts'
import { AttemptCounter, readChannelHealth } from './attempt-counter.ts'

const WRITE_INTERVAL_MS = 5000

export const feature = defineFeature({
  migrations: [channelAttempts, lastSuccess],
  start({ db, log }) {
    const attempts = new AttemptCounter(db, log)
    return {
      routes: [handle(listChannelHealth, ({ reader }) => readChannelHealth(reader))],
      observer: attempts,
      jobs: [() => everyMs(WRITE_INTERVAL_MS, () => attempts.write())],
    }
  },
})

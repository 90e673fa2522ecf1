import { everyMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { defineFeature, type Services } from '#server/feature.ts'
import { revokeResponses } from './revoke-responses.ts'

/** The longest time that a response outlives its token or session. */
const REVOKE_MS = 10_000

const revoking = ({ relay, db, log }: Services) =>
  everyMs(REVOKE_MS, async () => {
    await revokeResponses(relay.openResponses, db).catch((error: unknown) =>
      log.warn('responses of ended tokens and sessions were not looked for', { reason: errorMessage(error) }),
    )
  })

export const feature = defineFeature({
  start: services => ({ jobs: [() => revoking(services)] }),
})

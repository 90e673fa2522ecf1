import { elapsedMs, nowSeconds } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import { markChannel } from '../../db/channels/channels.ts'
import type { Database } from '../../db/engine/database.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { ActiveRequest } from '../types.ts'

/** Reports channels whose usage cannot be true, in the background. */
export interface UsageAlarm {
  report(channel: Pick<RoutedChannel, 'id' | 'name'>, request: ActiveRequest, rejectedUsage: Usage): void
}

interface UsageAlarmDeps {
  readonly db: Database
  readonly log: Logger
  /** Notifies the super administrator. */
  readonly notify: (channel: { id: number; name: string }, reason: string) => void
}

/** A channel that reports nonsense does so with every response. */
const PAUSE_MS = 60_000

export function createUsageAlarm({ db, log, notify }: UsageAlarmDeps): UsageAlarm {
  const lastMs = new Map<number, number>()
  return {
    report(channel, { requestId, model }, rejectedUsage) {
      const prompt = promptTokens(rejectedUsage)
      const completion = completionTokens(rejectedUsage)
      log.error('a vendor reported usage that cannot be true', {
        request_id: requestId,
        channel_id: channel.id,
        model,
        prompt_tokens: prompt,
        completion_tokens: completion,
      })
      const sinceMs = elapsedMs() - (lastMs.get(channel.id) ?? Number.NEGATIVE_INFINITY)
      if (sinceMs < PAUSE_MS) return
      lastMs.set(channel.id, elapsedMs())
      const reason = `${model}: ${prompt} + ${completion} tokens, request ${requestId}`
      notify(channel, reason)
      markChannel(db, channel.id, { reason, atSeconds: nowSeconds() }).catch((error: unknown) =>
        log.error('a channel could not be marked', { channel_id: channel.id, reason: errorMessage(error) }),
      )
    },
  }
}

import { everyMs, nowSeconds } from '#server/core/clock.ts'
import type { BothLanguages } from '#server/core/language.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Job } from '#server/feature.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import type { UsageSpike } from '../contract.ts'
import { listSpenders, sumSpent } from './queries.ts'

const CHECK_INTERVAL_MS = 5 * 60_000
/** How long what was found is returned again without looking. */
const FRESH_SECONDS = 60
const SPIKES_MAX = 20
const TIMES_USUAL_MIN = 5
const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const USUAL_HOURS = 24
/** How long nothing more is sent of a user. */
const NOTICE_PAUSE_SECONDS = 24 * HOUR_SECONDS

interface SpikeWatchDeps {
  readonly db: Database
  readonly log: Logger
  /** What a user spends in an hour before it is a spike, in units; 0: nothing is. */
  readonly threshold: () => number
  readonly formatAmount: (units: number) => BothLanguages
  /** Notifies the super administrator. */
  readonly notify: (notice: UserNotification) => void
}

export interface SpikeWatch {
  /** At most a minute old. */
  current(): Promise<readonly UsageSpike[]>
  /** Notifies of users of whom nothing was sent for a day. */
  check(): Promise<void>
  readonly job: Job
}

/** Looks for users who spend much more than usual, such as through a leaked key. It limits nobody. */
export function createSpikeWatch(deps: SpikeWatchDeps): SpikeWatch {
  let found: { readonly at: number; readonly spikes: readonly UsageSpike[] } = { at: 0, spikes: [] }
  let notifiedAt = new Map<number, number>()
  const current = async () => {
    const now = nowSeconds()
    if (now - found.at >= FRESH_SECONDS)
      found = { at: now, spikes: await findSpikes(deps.db, deps.threshold(), now) }
    return found.spikes
  }
  const check = async () => {
    const now = nowSeconds()
    notifiedAt = new Map([...notifiedAt].filter(([, at]) => now - at < NOTICE_PAUSE_SECONDS))
    for (const spike of await current()) {
      if (notifiedAt.has(spike.user_id)) continue
      notifiedAt.set(spike.user_id, now)
      deps.notify(spikeNotice(spike, deps.formatAmount))
    }
  }
  const checkSafely = () =>
    check().catch(error => deps.log.error('the check for usage spikes failed', { error }))
  return { current, check, job: () => everyMs(CHECK_INTERVAL_MS, checkSafely) }
}

async function findSpikes(db: Database, threshold: number, now: number): Promise<readonly UsageSpike[]> {
  if (threshold === 0) return []
  const until = now - (now % MINUTE_SECONDS) + MINUTE_SECONDS
  const since = until - HOUR_SECONDS
  const query = { from: since, until, amountMin: threshold, limit: SPIKES_MAX }
  const spenders = await listSpenders(db, query)
  if (spenders.length === 0) return []
  const hour = since - (since % HOUR_SECONDS)
  const usual = await sumSpent(
    db,
    spenders.map(({ id }) => id),
    { from: hour - USUAL_HOURS * HOUR_SECONDS, until: hour },
  )
  return spenders
    .map(({ id, username, amount }) => {
      const mean = Math.round((usual.get(id) ?? 0) / USUAL_HOURS)
      return { user_id: id, username, amount, usual: mean, since }
    })
    .filter(spike => spike.amount >= TIMES_USUAL_MIN * spike.usual)
}

function spikeNotice(
  { user_id, username, amount, usual }: UsageSpike,
  format: SpikeWatchDeps['formatAmount'],
): UserNotification {
  const user = `${username} (#${user_id})`
  const [spent, mean] = [format(amount), format(usual)]
  return {
    type: `usage_spike_${user_id}`,
    values: [username, String(user_id), spent.en, mean.en],
    subject: { zh: `用户 ${user} 用量突增`, en: `User ${user} spends much more than usual` },
    text: {
      zh: `用户 ${user} 最近一小时消费 ${spent.zh}，前一天平均每小时 ${mean.zh}。系统未做限制；如果密钥可能泄露，请更换其令牌或设置预算。`,
      en: `User ${user} spent ${spent.en} in the last hour; a mean hour of the day before had ${mean.en}. Nothing was limited: if a key may have leaked, rotate the token or set a budget.`,
    },
  }
}

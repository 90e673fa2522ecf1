import type { OptionValues } from '#contract/options/system-options.ts'
import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { formatQuota } from '#server/core/money.ts'
import type { Job, Services } from '#server/feature.ts'
import type { Ledger } from '#server/ledger/ledger.ts'
import {
  type NotifierDeps,
  readNotificationPreferences,
  type UserNotification,
} from '#server/notifications/send-notification.ts'
import { type BalanceWarningRow, listUsersToWarn, updateWarnedAt } from './queries.ts'

const CHECK_INTERVAL_MS = 2000
const WARNING_INTERVAL_SECONDS = 2 * 3600
/** Delay before a warning that could not be delivered is sent again. */
const RETRY_SECONDS = 10 * 60
const BATCH_USERS_MAX = 200
const PENDING_USERS_MAX = 100_000

type LowBalanceDeps = NotifierDeps & Pick<Services, 'settings' | 'events'>

export interface LowBalanceMonitor {
  /** Queues users that were charged. They are checked later, so that this costs the request nothing. */
  recordCharge(userIds: readonly number[]): void
  /** Checks the queued users now. */
  checkNow(): Promise<void>
  readonly job: Job
}

/**
 * Warns users whose balance falls below their threshold, at most once in two hours. The time of the warning is claimed
 * in the database before it is sent, so only one process sends it.
 */
export function createLowBalanceMonitor(deps: LowBalanceDeps): LowBalanceMonitor {
  const pending = new Set<number>()
  const checkNow = async (): Promise<void> => {
    while (pending.size > 0) {
      const userIds = [...pending].slice(0, BATCH_USERS_MAX)
      for (const id of userIds) pending.delete(id)
      const rows = await listUsersToWarn(deps.db, userIds, nowSeconds() - WARNING_INTERVAL_SECONDS)
      await Promise.all(rows.map(row => warnIfLow(row, deps)))
    }
  }
  const checkSafely = () =>
    checkNow().catch(error => deps.log.error('the check for low balances failed', { error }))
  return {
    recordCharge(userIds) {
      for (const id of userIds) if (pending.size < PENDING_USERS_MAX) pending.add(id)
    },
    checkNow,
    job() {
      const stop = everyMs(CHECK_INTERVAL_MS, checkSafely)
      return async () => {
        await stop()
        await checkSafely()
      }
    },
  }
}

/** Passes on whose wallets were charged, after the charge is durable. */
export const recordCharges = (
  ledger: Pick<Ledger, 'onClosed'>,
  record: LowBalanceMonitor['recordCharge'],
): void =>
  ledger.onClosed(commands =>
    record(commands.flatMap(({ kind, hold }) => (kind === 'settle' ? hold.userId : []))),
  )

async function warnIfLow(row: BalanceWarningRow, deps: LowBalanceDeps): Promise<void> {
  const { db, log, settings } = deps
  try {
    const { values } = settings.current()
    const { threshold = values.QuotaRemindThreshold } = readNotificationPreferences(row, deps.secrets)
    if (row.balance >= threshold) return
    const notify = await deps.events.notifierOf(row, deps)
    const now = nowSeconds()
    if (!notify || !(await updateWarnedAt(db, row.id, { from: row.warned_at, to: now }))) return
    try {
      await notify(lowBalanceNotification(row.balance, values))
    } catch (error) {
      await updateWarnedAt(db, row.id, { from: now, to: now - WARNING_INTERVAL_SECONDS + RETRY_SECONDS })
      throw error
    }
  } catch (error) {
    log.warn('a low balance warning could not be sent', { user_id: row.id, reason: errorMessage(error) })
  }
}

function lowBalanceNotification(balance: number, values: OptionValues): UserNotification {
  const amount = formatQuota(balance, values)
  // Empty when this installation does not know its own address.
  const topUpUrl = values.ServerAddress && `${values.ServerAddress}/topup`
  return {
    type: 'quota_exceed',
    subject: { zh: '您的额度即将用尽', en: 'Your balance is running low' },
    text: {
      zh: `您的额度即将用尽，当前剩余额度为 ${amount.zh}。为避免影响使用，请及时充值。`,
      en: `Your balance is running low: ${amount.en} left. Top up in time to avoid an interruption.`,
    },
    ...(topUpUrl && { link: { text: { zh: '充值', en: 'Top up' }, url: topUpUrl } }),
    values: [amount.zh, topUpUrl],
  }
}

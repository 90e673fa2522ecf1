import { CHANNEL_STATUS, ROLE } from '#contract/enums.ts'
import { everyMs, nowSeconds } from '../core/clock.ts'
import type { Secrets } from '../core/crypto.ts'
import { errorMessage } from '../core/errors.ts'
import type { BothLanguages } from '../core/language.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { findUser, findUserByRole } from '../db/accounts/users.ts'
import { type BalanceWarningRow, listUsersToWarn, updateWarnedAt } from '../db/billing/balances.ts'
import type { Database } from '../db/engine/database.ts'
import {
  readNotificationPreferences,
  type SendNotification,
  type UserNotification,
} from './send-notification.ts'

/** A flapping channel must not fill a mailbox. */
const NOTIFICATION_LIMIT: RateLimit = { name: 'notices to root', limit: 2, windowMs: 3_600_000 }

interface RootNotifierDeps {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  readonly sendNotification: SendNotification
  readonly rateLimiter: RateLimiter
}

export interface NamedChannel {
  readonly id: number
  readonly name: string
}

/** Notifies the super administrator of automatic actions, in the background. */
export interface RootNotifier {
  channelDisabled(channel: NamedChannel, reason: BothLanguages): void
  channelEnabled(channel: NamedChannel): void
  /** Of anything else, such as what a feature found. */
  notify(notification: UserNotification): void
  /** Waits for the notifications being sent. */
  close(): Promise<void>
}

export function createRootNotifier(deps: RootNotifierDeps): RootNotifier {
  const sending = new Set<Promise<void>>()
  const notify = (notification: UserNotification): void => {
    const delivery = notifyRoot(notification, deps).finally(() => sending.delete(delivery))
    sending.add(delivery)
  }
  return {
    notify,
    channelDisabled: ({ id, name }, reason) =>
      notify({
        type: `channel_update_${id}_${CHANNEL_STATUS.autoDisabled}`,
        values: [name, String(id), reason.en],
        ...disabledTexts(`${name} (#${id})`, reason),
      }),
    channelEnabled: ({ id, name }) =>
      notify({
        type: `channel_update_${id}_${CHANNEL_STATUS.enabled}`,
        values: [name, String(id)],
        ...enabledTexts(`${name} (#${id})`),
      }),
    close: async () => void (await Promise.allSettled(sending)),
  }
}

interface NotificationTexts {
  readonly subject: BothLanguages
  readonly text: BothLanguages
}

const disabledTexts = (channel: string, reason: BothLanguages): NotificationTexts => ({
  subject: { zh: `渠道 ${channel} 已被禁用`, en: `Channel ${channel} was disabled` },
  text: {
    zh: `渠道 ${channel} 已被自动禁用，原因：${reason.zh}`,
    en: `Channel ${channel} was disabled automatically: ${reason.en}`,
  },
})

const enabledTexts = (channel: string): NotificationTexts => ({
  subject: { zh: `渠道 ${channel} 已被启用`, en: `Channel ${channel} was enabled` },
  text: {
    zh: `渠道 ${channel} 通过测试，已被自动启用`,
    en: `Channel ${channel} passed its test and was enabled automatically`,
  },
})

async function notifyRoot(
  notification: UserNotification,
  { db, secrets, log, sendNotification, rateLimiter }: RootNotifierDeps,
): Promise<void> {
  try {
    const first = await findUserByRole(db, ROLE.root)
    const root = first && (await findUser(db, first.id))
    const target = root && readNotificationPreferences(root, secrets).target
    if (!target || !(await rateLimiter.take(NOTIFICATION_LIMIT, notification.type)).isAllowed) return
    await sendNotification(notification, target)
  } catch (error) {
    log.warn('the super administrator could not be notified', {
      type: notification.type,
      reason: errorMessage(error),
    })
  }
}

const CHECK_INTERVAL_MS = 2000
const WARNING_INTERVAL_SECONDS = 2 * 3600
/** Delay before a warning that could not be delivered is sent again. */
const RETRY_SECONDS = 10 * 60
const BATCH_USERS_MAX = 200
const PENDING_USERS_MAX = 100_000

interface LowBalanceDeps {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  readonly sendNotification: SendNotification
  /** The current options. */
  readonly options: () => {
    /** Units below which a balance is low, for users without a threshold of their own. */
    readonly threshold: number
    /** The top-up page; empty when this installation does not know its own address. */
    readonly topUpUrl: string
    /** Formats an amount for display. */
    readonly amountText: (units: number) => BothLanguages
  }
}

export interface LowBalanceMonitor {
  /** Queues users that were charged. They are checked later, so that this costs the request nothing. */
  recordCharge(userIds: readonly number[]): void
  /** Checks the queued users now. */
  checkNow(): Promise<void>
  stop(): Promise<void>
}

/**
 * Warns users whose balance falls below their threshold, at most once in two hours. The time of the warning is claimed
 * in the database before it is sent, so only one process sends it.
 */
export function startLowBalanceMonitor(deps: LowBalanceDeps): LowBalanceMonitor {
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
  const stop = everyMs(CHECK_INTERVAL_MS, checkSafely)
  return {
    recordCharge(userIds) {
      for (const id of userIds) if (pending.size < PENDING_USERS_MAX) pending.add(id)
    },
    checkNow,
    async stop() {
      await stop()
      await checkSafely()
    },
  }
}

async function warnIfLow(
  row: BalanceWarningRow,
  { db, secrets, log, sendNotification, options }: LowBalanceDeps,
): Promise<void> {
  try {
    const { target, threshold = options().threshold } = readNotificationPreferences(row, secrets)
    if (!target || row.balance >= threshold) return
    const now = nowSeconds()
    if (!(await updateWarnedAt(db, row.id, { from: row.warned_at, to: now }))) return
    try {
      await sendNotification(lowBalanceNotification(row.balance, options()), target)
    } catch (error) {
      await updateWarnedAt(db, row.id, { from: now, to: now - WARNING_INTERVAL_SECONDS + RETRY_SECONDS })
      throw error
    }
  } catch (error) {
    log.warn('a low balance warning could not be sent', { user_id: row.id, reason: errorMessage(error) })
  }
}

function lowBalanceNotification(
  balance: number,
  { amountText, topUpUrl }: ReturnType<LowBalanceDeps['options']>,
): UserNotification {
  const amount = amountText(balance)
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

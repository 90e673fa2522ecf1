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

interface NamedChannel {
  readonly id: number
  readonly name: string
}

/** Notifies the super administrator of automatic actions, in the background. */
export interface RootNotifier {
  channelDisabled(channel: NamedChannel, reason: BothLanguages): void
  channelEnabled(channel: NamedChannel): void
  /** A provider reported usage that cannot be true, or that contradicts the settings of its channel. */
  usageAlarm(channel: NamedChannel, reason: string, kind: 'rejected' | 'contradictory'): void
  /** A channel sells a model for less than its provider charges. */
  soldBelowCost(channel: NamedChannel, reason: BothLanguages): void
  modelStopped(channel: NamedChannel, model: string, reason: BothLanguages): void
  /** The daily price feed proposes prices for this number of models. */
  pricesDiffer(count: number): void
  /** The standby of the database lags or is gone. */
  standbyLags(finding: BothLanguages): void
  /** Waits for the notifications being sent. */
  close(): Promise<void>
}

export function createRootNotifier(deps: RootNotifierDeps): RootNotifier {
  const sending = new Set<Promise<void>>()
  const notifyInBackground = (notification: UserNotification): void => {
    const delivery = notifyRoot(notification, deps).finally(() => sending.delete(delivery))
    sending.add(delivery)
  }
  return {
    channelDisabled: ({ id, name }, reason) =>
      notifyInBackground({
        type: `channel_update_${id}_${CHANNEL_STATUS.autoDisabled}`,
        values: [name, String(id), reason.en],
        ...disabledTexts(`${name} (#${id})`, reason),
      }),
    channelEnabled: ({ id, name }) =>
      notifyInBackground({
        type: `channel_update_${id}_${CHANNEL_STATUS.enabled}`,
        values: [name, String(id)],
        ...enabledTexts(`${name} (#${id})`),
      }),
    usageAlarm: ({ id, name }, reason, kind) =>
      notifyInBackground({
        type: `channel_usage_${id}`,
        values: [name, String(id), reason],
        ...(kind === 'rejected' ? usageTexts : countingTexts)(`${name} (#${id})`, reason),
      }),
    soldBelowCost: ({ id, name }, reason) =>
      notifyInBackground({
        type: `channel_margin_${id}`,
        values: [name, String(id), reason.en],
        ...lossTexts(`${name} (#${id})`, reason),
      }),
    modelStopped: ({ id, name }, model, reason) =>
      notifyInBackground({
        type: `channel_model_${id}_${model}`,
        values: [name, String(id), model, reason.en],
        ...stopTexts(`${name} (#${id})`, model, reason),
      }),
    pricesDiffer: count =>
      notifyInBackground({ type: 'price_update', values: [String(count)], ...priceTexts(count) }),
    standbyLags: finding =>
      notifyInBackground({ type: 'standby_lag', values: [finding.en], ...standbyTexts(finding) }),
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

const countingTexts = (channel: string, reason: string): NotificationTexts => ({
  subject: {
    zh: `渠道 ${channel} 的用量口径与设置不符`,
    en: `Channel ${channel} counts usage in another way`,
  },
  text: {
    zh: `渠道 ${channel} 上报的数字与渠道设置中的用量口径不符，目前仍按设置计费，请在渠道的高级设置中检测并修正：${reason}`,
    en: `The figures of channel ${channel} contradict its settings, by which they are still charged. Find out how it counts under Advanced in the channel: ${reason}`,
  },
})

const lossTexts = (channel: string, reason: BothLanguages): NotificationTexts => ({
  subject: { zh: `渠道 ${channel} 低于成本销售`, en: `Channel ${channel} sells below cost` },
  text: {
    zh: `渠道 ${channel}：${reason.zh}。请检查模型价格、分组倍率和渠道的采购价。`,
    en: `Channel ${channel}: ${reason.en}. Check the price of the model, the ratio of the group and the purchase price of the channel.`,
  },
})

const stopTexts = (channel: string, model: string, reason: BothLanguages): NotificationTexts => ({
  subject: {
    zh: `渠道 ${channel} 的模型 ${model} 已被禁用`,
    en: `The model ${model} was stopped on channel ${channel}`,
  },
  text: {
    zh: `渠道 ${channel} 的模型 ${model} 已被自动禁用，其他模型不受影响，原因：${reason.zh}。修正价格后，可在渠道编辑页重新允许该模型。`,
    en: `The model ${model} was stopped on channel ${channel}, which goes on serving its other models: ${reason.en}. Once its price is right, allow it again in the channel.`,
  },
})

const priceTexts = (count: number): NotificationTexts => ({
  subject: { zh: `${count} 个模型的价格与来源不同`, en: `Prices of ${count} models differ from the feed` },
  text: {
    zh: `每日价格来源中有 ${count} 个模型与当前价格不同。价格不会自动改变，请在“设置 > 运营设置 > 模型价格 > 价格更新”中审批。`,
    en: `The daily price feed differs from the prices in force for ${count} models. Nothing changes by itself: approve the prices under Settings > Operation > Model prices > Updates.`,
  },
})

const standbyTexts = (finding: BothLanguages): NotificationTexts => ({
  subject: { zh: '数据库备库落后或已断开', en: 'The standby of the database lags or is gone' },
  text: finding,
})

const usageTexts = (channel: string, reason: string): NotificationTexts => ({
  subject: { zh: `渠道 ${channel} 上报的用量异常`, en: `Channel ${channel} reported implausible usage` },
  text: {
    zh: `渠道 ${channel} 上报的用量超出请求可能产生的上限，该请求已按估算计费：${reason}`,
    en: `Channel ${channel} reported more usage than the request can have had, so an estimate was charged: ${reason}`,
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

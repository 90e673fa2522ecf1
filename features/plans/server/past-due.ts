import { errorMessage } from '#server/core/errors.ts'
import { formatQuota } from '#server/core/money.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Services } from '#server/feature.ts'
import {
  readNotificationPreferences,
  type UserNotification,
} from '#server/notifications/send-notification.ts'
import { readAllowance } from './allowance.ts'
import { readLife } from './life.ts'
import type { SubscriptionRow } from './queries.ts'

type NotifierDeps = Pick<Services, 'db' | 'secrets' | 'log' | 'settings' | 'sendNotification'>

export type PastDueNotifier = (row: SubscriptionRow) => Promise<void>

/** Tells users whose balance did not pay a renewal, in the way they chose. A failure is logged: the renewal stands without it. */
export const createPastDueNotifier =
  ({ db, secrets, log, settings, sendNotification }: NotifierDeps): PastDueNotifier =>
  async row => {
    try {
      const user = await findUser(db, row.user_id)
      const { target } = user ? readNotificationPreferences(user, secrets) : { target: undefined }
      if (target) await sendNotification(toNotification(row, settings.current().values), target)
    } catch (error) {
      const reason = errorMessage(error)
      log.warn('a notice of a failed renewal could not be sent', { subscription_id: row.id, reason })
    }
  }

function toNotification(
  row: SubscriptionRow,
  values: ReturnType<Services['settings']['current']>['values'],
): UserNotification {
  const { name } = readAllowance(row.allowance)
  const { graceDays } = readLife(row).terms
  const price = formatQuota(row.next_price, values)
  // Empty when this installation does not know its own address.
  const url = values.ServerAddress && `${values.ServerAddress}/topup`
  return {
    type: 'plan_past_due',
    subject: { zh: '套餐续费失败', en: 'Your plan could not be renewed' },
    text: {
      zh: `余额不足以支付套餐“${name}”的续费 ${price.zh}，套餐暂停承担请求。请在 ${graceDays} 天内充值，充值后自动续费，逾期订阅结束。`,
      en: `Your balance does not cover ${price.en} for the plan "${name}", which covers no requests until it is paid. Top up within ${graceDays} days and it renews by itself; then the subscription ends.`,
    },
    ...(url && { link: { text: { zh: '充值', en: 'Top up' }, url } }),
    values: [name, price.zh],
  }
}

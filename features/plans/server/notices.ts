import { errorMessage } from '#server/core/errors.ts'
import { formatQuota } from '#server/core/money.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Services } from '#server/feature.ts'
import type { NotifierDeps, UserNotification } from '#server/notifications/send-notification.ts'
import { readAllowance } from './allowance.ts'
import { readLife } from './life.ts'
import type { SubscriptionRow } from './queries.ts'
import type { SubscriptionState } from './subscription.ts'

type NoticeDeps = NotifierDeps & Pick<Services, 'settings' | 'events'>
type OptionTexts = ReturnType<Services['settings']['current']>['values']

export type SubscriptionNotifier = (row: SubscriptionRow, former: SubscriptionState) => Promise<void>

/**
 * Tells users what has become of a subscription: not renewed, ended, or paid for after its trial. A failure is logged, since the
 * change stands without its notice.
 */
export const createSubscriptionNotifier =
  (deps: NoticeDeps): SubscriptionNotifier =>
  async (row, former) => {
    try {
      const notice = toNotice(row, former, deps.settings.current().values)
      const user = notice && (await findUser(deps.db, row.user_id))
      const notify = user && (await deps.events.notifierOf(user, deps))
      if (notice) await notify?.(notice)
    } catch (error) {
      const reason = errorMessage(error)
      deps.log.warn('a notice of a subscription could not be sent', { subscription_id: row.id, reason })
    }
  }

function toNotice(
  row: SubscriptionRow,
  former: SubscriptionState,
  values: OptionTexts,
): UserNotification | undefined {
  if (row.state === former) return undefined
  if (row.state === 'past_due') return pastDue(row, values)
  if (row.state === 'ended') return ended(row, former, values)
  return row.state === 'active' && former === 'trial' ? firstPayment(row, values) : undefined
}

/** Empty when this installation does not know its own address. */
const linkTo = ({ ServerAddress }: OptionTexts, path: string, text: UserNotification['subject']) =>
  ServerAddress === '' ? {} : { link: { text, url: `${ServerAddress}${path}` } }

function pastDue(row: SubscriptionRow, values: OptionTexts): UserNotification {
  const { name } = readAllowance(row.allowance)
  const { graceDays } = readLife(row).terms
  const price = formatQuota(row.next_price, values)
  return {
    type: 'plan_past_due',
    subject: { zh: '套餐续费失败', en: 'Your plan could not be renewed' },
    text: {
      zh: `余额不足以支付套餐“${name}”的续费 ${price.zh}，套餐暂停承担请求。请在 ${graceDays} 天内充值，充值后自动续费，逾期订阅结束。`,
      en: `Your balance does not cover ${price.en} for the plan "${name}", which covers no requests until it is paid. Top up within ${graceDays} days and it renews by itself; then the subscription ends.`,
    },
    ...linkTo(values, '/topup', { zh: '充值', en: 'Top up' }),
    values: [name, price.zh],
  }
}

function ended(row: SubscriptionRow, former: SubscriptionState, values: OptionTexts): UserNotification {
  const { name } = readAllowance(row.allowance)
  const isUnpaid = former === 'past_due'
  return {
    type: 'plan_ended',
    subject: { zh: '套餐订阅已结束', en: 'Your subscription has ended' },
    text: {
      zh: `套餐“${name}”的订阅${isUnpaid ? '因未按时续费' : ''}已结束，此后的请求从余额扣费。`,
      en: `The subscription of the plan "${name}" has ended${isUnpaid ? ', since it was not paid in time' : ''}: from now on your balance pays for requests.`,
    },
    ...linkTo(values, '/subscription', { zh: '查看套餐', en: 'See the plans' }),
    values: [name],
  }
}

function firstPayment(row: SubscriptionRow, values: OptionTexts): UserNotification {
  const { name } = readAllowance(row.allowance)
  const price = formatQuota(readLife(row).terms.price, values)
  return {
    type: 'plan_trial_ended',
    subject: { zh: '套餐试用已结束', en: 'Your trial has ended' },
    text: {
      zh: `套餐“${name}”的试用已结束，已从余额支付首个周期的费用 ${price.zh}。`,
      en: `The trial of the plan "${name}" has ended, and your balance has paid ${price.en} for the first period.`,
    },
    ...linkTo(values, '/subscription', { zh: '查看订阅', en: 'See the subscription' }),
    values: [name, price.zh],
  }
}

import { apiErrors } from '#server/core/api-error.ts'

export const planError = apiErrors('plan', {
  unknown: { zh: '该套餐不存在', en: 'there is no such plan' },
  not_offered: { zh: '该套餐已停止销售', en: 'the plan is no longer offered' },
  hours: {
    zh: '滚动窗口需要设置小时数，其他窗口不能设置',
    en: 'only a rolling window takes hours, and it needs them',
  },
  windows: {
    zh: '同一周期和单位的窗口只能有一个',
    en: 'a plan has one window of each period and unit',
  },
  has_codes: {
    zh: '该套餐还有 {count} 个未使用的兑换码，请先删除',
    en: 'the plan has {count} unused codes; delete them first',
  },
  code: { zh: '套餐兑换码无效或已使用', en: 'the plan code is wrong or was used' },
  has_subscribers: {
    zh: '该套餐还有 {count} 个订阅，不能删除；可以停止销售',
    en: 'the plan has {count} subscriptions and cannot be deleted; stop offering it instead',
  },
})

export const subscriptionError = apiErrors('subscription', {
  unknown: { zh: '该订阅不存在', en: 'there is no such subscription' },
  has_plan: { zh: '已订阅该套餐', en: 'you have a subscription of this plan' },
  too_many: { zh: '最多同时拥有 {count} 个订阅', en: 'you can have at most {count} subscriptions' },
  not_now: {
    zh: '该订阅当前状态下不能执行此操作',
    en: 'the state of the subscription does not allow this',
  },
})

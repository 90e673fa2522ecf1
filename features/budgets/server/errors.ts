import { apiErrors } from '#server/core/api-error.ts'

export const budgetError = apiErrors('budget', {
  unknown: { zh: '该预算不存在', en: 'there is no such budget' },
  subject: {
    zh: '请指定用户或令牌其中之一（user_id 或 token_id）',
    en: 'name either a user or a token: user_id or token_id',
  },
  hours: {
    zh: '滚动预算需要设置小时数，其他周期不能设置',
    en: 'only a rolling budget takes hours, and it needs them',
  },
  managed: {
    zh: '该预算由管理员设置，不能修改',
    en: 'the budget was set by an administrator; you cannot change it',
  },
  too_many: { zh: '每个用户或令牌最多 {count} 个预算', en: 'a user or a token has at most {count} budgets' },
})

import { apiErrors } from '#server/core/api-error.ts'

export const budgetError = apiErrors('budget', {
  unknown: { zh: '该预算不存在', en: 'there is no such budget' },
  subject: {
    zh: '请指定预算的对象及其编号，例如用户或令牌',
    en: 'name whom the budget bounds, such as a token: subject and subject_id',
  },
  fixed: { zh: '这类预算不能单独修改', en: 'budgets of this kind are not changed one by one' },
  hours: {
    zh: '滚动预算需要设置小时数，其他周期不能设置',
    en: 'only a rolling budget takes hours, and it needs them',
  },
  model: { zh: '模型名中最多一个 *', en: 'a model has at most one *' },
  bend: {
    zh: '请填写替换后的模型或推理强度上限；模型名中最多一个 *，替换后的 * 需在原模型中有对应的 *',
    en: 'name the model that replaces others, or the effort to lower to; each name has at most one *, and the replacement only where the other one has it',
  },
  managed: {
    zh: '该预算由管理员设置，不能修改',
    en: 'the budget was set by an administrator; you cannot change it',
  },
  too_many: { zh: '每个对象最多 {count} 个预算', en: 'each subject has at most {count} budgets' },
})

import { apiErrors } from '#server/core/api-error.ts'

export const redemptionError = apiErrors('redemption', {
  unknown: { zh: '兑换码不存在', en: 'there is no such code' },
  missing: { zh: '请输入兑换码', en: 'enter a code' },
  invalid: { zh: '无效的兑换码', en: 'the code is not valid' },
  used: { zh: '该兑换码已被使用或已禁用', en: 'the code has been used or is disabled' },
  not_unused: { zh: '只有未使用的兑换码可以编辑', en: 'only an unused code can be edited' },
  stays_used: { zh: '已使用的兑换码不能更改状态', en: 'the status of a used code cannot be changed' },
  unknown_status: {
    zh: '状态只能设为 1（启用）或 2（禁用）',
    en: 'the status must be 1 (enabled) or 2 (disabled)',
  },
})

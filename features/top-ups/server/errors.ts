import { apiErrors } from '#server/core/api-error.ts'

export const topUpError = apiErrors('top_up', {
  not_configured: { zh: '管理员未配置支付信息', en: 'online top-up is not configured' },
  no_server_address: {
    zh: '管理员未设置服务器地址，无法接收支付通知',
    en: 'the server address is not set, so payment notifications cannot be received',
  },
  too_little: { zh: '充值数量不能小于 {least}', en: 'top up at least {least}' },
  not_whole: { zh: '充值数量必须为整数', en: 'the amount must be a whole number' },
  too_much: { zh: '充值数量过大', en: 'the amount is too large' },
  money_too_little: { zh: '充值金额过低', en: 'the amount to pay is too small' },
  unknown_method: { zh: '不支持的支付方式', en: 'the payment method is not supported' },
})

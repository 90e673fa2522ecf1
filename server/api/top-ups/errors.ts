import { apiErrors } from '../../core/api-error.ts'

export const topUpError = apiErrors('top_up', {
  not_configured: { zh: '当前管理员未配置支付信息', en: 'online top-up is not set up' },
  no_server_address: {
    zh: '管理员未设置服务器地址，无法接收支付通知',
    en: 'the server address is not set, so no payment notice could arrive',
  },
  too_little: { zh: '充值数量不能小于 {least}', en: 'top up {least} at least' },
  not_whole: { zh: '充值数量必须为整数', en: 'whole amounts only' },
  too_much: { zh: '充值数量过大', en: 'this is more than can be topped up at once' },
  money_too_little: { zh: '充值金额过低', en: 'the money to pay is too little' },
  unknown_method: { zh: '不支持的支付方式', en: 'this way of paying is not known' },
})

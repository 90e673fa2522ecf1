import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '凭据',
  print: '打印',
  missing: '没有凭据',
  missingText: '请打开完整的凭据链接。',
  issuer: '开具方',
  user: '用户',
  time: '时间',
  model: '模型',
  token: '令牌',
  tokens: '输入 / 输出 Token',
  requestId: '请求 ID',
  cost: '费用',
}

const en: English<typeof zh> = {
  title: 'Receipt',
  print: 'Print',
  missing: 'No receipt',
  missingText: 'Open the whole link of the receipt.',
  issuer: 'Issued by',
  user: 'User',
  time: 'Time',
  model: 'Model',
  token: 'Token',
  tokens: 'Tokens in / out',
  requestId: 'Request ID',
  cost: 'Cost',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)

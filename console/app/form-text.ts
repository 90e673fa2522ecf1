import type { English } from '../ui/text.ts'

const zh = {
  required: '请填写此项',
  tooSmall: '不能小于 {least}',
  tooBig: '不能大于 {most}',
  wrongType: '格式不正确',
  invalid: '填写有误',
}

const en: English<typeof zh> = {
  required: 'This is required',
  tooSmall: 'At least {least}',
  tooBig: 'At most {most}',
  wrongType: 'This has the wrong form',
  invalid: 'This is not valid',
}

export const formText = { zh, en }

import type { English } from '../../ui/text/text.ts'

const zh = {
  required: '请填写此项',
  tooSmall: '不能小于 {least}',
  tooBig: '不能大于 {most}',
  tooLong: '不能超过 {most} 个字符',
  wrongType: '格式不正确',
  invalid: '填写有误',
  wholeNumber: '必须是 {least} 到 {most} 的整数',
}

const en: English<typeof zh> = {
  required: 'This field is required',
  tooSmall: 'Must be at least {least}',
  tooBig: 'Must be at most {most}',
  tooLong: 'At most {most} characters',
  wrongType: 'The format is not valid',
  invalid: 'This value is not valid',
  wholeNumber: 'Enter a whole number from {least} to {most}',
}

/** Messages for form rules that do not bring their own. */
export const formText = { zh, en }

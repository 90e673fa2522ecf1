import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  passwordTitle: '请立即修改密码',
  passwordText: '您正在使用系统生成的初始密码，请立即修改。',
  passwordNew: '新密码',
  passwordRepeat: '确认新密码',
  passwordHelp: '8 到 20 个字符。',
  passwordSave: '修改密码',
  passwordLater: '稍后再改',
  passwordSaved: '密码修改成功！',
  passwordShort: '密码不能少于 8 个字符',
  passwordLong: '密码不能超过 20 个字符',
  passwordDiffers: '两次输入的密码不一致',
  newYear: '新年快乐！',
  newYearText: '祝您新年万事如意。',
}

const en: English<typeof zh> = {
  passwordTitle: 'Change your password now',
  passwordText: 'You are using the initial password that the system generated. Change it now.',
  passwordNew: 'New password',
  passwordRepeat: 'Repeat the new password',
  passwordHelp: '8 to 20 characters.',
  passwordSave: 'Change password',
  passwordLater: 'Later',
  passwordSaved: 'Password changed',
  passwordShort: 'The password must have at least 8 characters',
  passwordLong: 'The password must have at most 20 characters',
  passwordDiffers: 'The passwords do not match',
  newYear: 'Happy New Year!',
  newYearText: 'Best wishes for the year ahead.',
}

const reminderText = { zh, en }
export const useReminderText = () => useText(reminderText)

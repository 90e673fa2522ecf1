import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '设置',
  tabs: '设置分类',
  personal: '个人设置',
  operation: '运营设置',
  system: '系统设置',
  other: '其他设置',
  search: '搜索设置',

  confirmOffTitle: '关闭密码登录？',
  confirmOffText:
    '用户将只能通过其他方式登录；超级管理员始终可以使用密码登录。请先确认至少有一种其他登录方式可用。',
  confirmOff: '关闭密码登录',
  noOtherSignIn: '请先启用至少一种其他登录方式',
}

const en: English<typeof zh> = {
  title: 'Settings',
  tabs: 'Settings categories',
  personal: 'Personal',
  operation: 'Operation',
  system: 'System',
  other: 'Other',
  search: 'Search settings',

  confirmOffTitle: 'Turn off password sign-in?',
  confirmOffText:
    'Users will only be able to sign in with other methods. Super administrators can always use a password. First make sure that another method works.',
  confirmOff: 'Turn off',
  noOtherSignIn: 'Turn on another sign-in method first',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)

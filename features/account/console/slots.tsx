import { defineSlots } from '#console/app/slots.ts'

const sections = async () => (await import('./sections.tsx')).sections

export const slots = defineSlots({
  sections: [
    {
      of: 'account',
      id: 'profile',
      order: 10,
      title: { zh: '个人资料', en: 'Profile' },
      load: async () => (await sections()).profile,
    },
    {
      of: 'account',
      id: 'models',
      order: 20,
      title: { zh: '可用模型', en: 'Available models' },
      load: async () => (await sections()).models,
    },
    {
      of: 'account',
      id: 'bindings',
      order: 40,
      title: { zh: '账户绑定', en: 'Linked accounts' },
      load: async () => (await sections()).bindings,
    },
    {
      of: 'account',
      id: 'token',
      order: 50,
      title: { zh: '系统访问令牌', en: 'System access token' },
      load: async () => (await sections()).token,
    },
    {
      of: 'account',
      id: 'password',
      order: 60,
      title: { zh: '修改密码', en: 'Change password' },
      load: async () => (await sections()).password,
    },
    {
      of: 'account',
      id: 'notifications',
      order: 70,
      title: { zh: '通知设置', en: 'Low-balance notifications' },
      load: async () => (await sections()).notifications,
    },
    {
      of: 'account',
      id: 'preferences',
      order: 80,
      title: { zh: '偏好设置', en: 'Preferences' },
      load: async () => (await sections()).preferences,
    },
    {
      of: 'account',
      id: 'danger',
      order: 90,
      title: { zh: '删除个人账户', en: 'Delete account' },
      load: async () => (await sections()).danger,
    },
  ],
})

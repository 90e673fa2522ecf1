import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/channel-keys',
  role: 'admin',
  title: { zh: '按密钥创建渠道', en: 'Channels by key' },
  load: async () => (await import('./page.tsx')).ChannelKeysPage,
})

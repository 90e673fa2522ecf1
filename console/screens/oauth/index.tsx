import { defineScreen } from '../../app/router/define-screen.ts'

/** Where the other parties send people back to. */
export const screen = defineScreen({
  path: '/oauth',
  below: ['/oauth/$party'],
  role: 'visitor',
  layout: 'bare',
  title: { zh: '第三方登录', en: 'Signing in' },
  load: async () => (await import('./page.tsx')).OauthScreen,
})

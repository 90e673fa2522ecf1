import { defineScreen } from '#console/app/router/define-screen.ts'

/** Callback pages of the identity providers. */
export const screen = defineScreen({
  path: '/oauth',
  below: ['/oauth/$provider'],
  role: 'visitor',
  layout: 'bare',
  title: { zh: '第三方登录', en: 'Signing in' },
  load: async () => (await import('./page.tsx')).OauthPage,
})

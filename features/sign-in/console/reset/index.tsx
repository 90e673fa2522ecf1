import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/reset',
  role: 'visitor',
  layout: 'bare',
  title: { zh: '重置密码', en: 'Reset password' },
  load: async () => (await import('./page.tsx')).ResetPage,
})

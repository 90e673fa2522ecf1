import { defineScreen } from '#console/app/router/define-screen.ts'
import { ResetConfirmSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/user/reset',
  role: 'visitor',
  layout: 'bare',
  title: { zh: '设置新密码', en: 'New password' },
  search: ResetConfirmSearch,
  load: async () => (await import('./page.tsx')).ResetConfirmPage,
})

import { defineScreen } from '#console/app/router/define-screen.ts'
import { LoginSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/login',
  role: 'visitor',
  layout: 'bare',
  title: { zh: '登录', en: 'Sign in' },
  search: LoginSearch,
  load: async () => (await import('./page.tsx')).LoginPage,
})

import { defineScreen } from '#console/app/router/define-screen.ts'
import { RegisterSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/register',
  role: 'visitor',
  layout: 'bare',
  title: { zh: '注册', en: 'Sign up' },
  search: RegisterSearch,
  load: async () => (await import('./page.tsx')).RegisterPage,
})

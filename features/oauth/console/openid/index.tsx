import { ShieldCheck } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { OpenIdSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/identity-provider',
  role: 'root',
  title: { zh: '单点登录', en: 'Single sign-on' },
  nav: { section: 'settings', order: 20, icon: ShieldCheck },
  search: OpenIdSearch,
  load: async () => (await import('./page.tsx')).OpenIdPage,
})

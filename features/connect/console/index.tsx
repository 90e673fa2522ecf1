import { Plug } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { ConnectSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/connect',
  role: 'user',
  title: { zh: '接入', en: 'Connect' },
  nav: { section: 'use', order: 35, icon: Plug, key: 'o' },
  search: ConnectSearch,
  load: async () => (await import('./page.tsx')).ConnectPage,
})

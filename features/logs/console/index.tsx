import { ScrollText } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { LogSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/log',
  role: 'user',
  organization: 'member',
  title: { zh: '日志', en: 'Log' },
  nav: { section: 'use', order: 60, icon: ScrollText, key: 'l' },
  search: LogSearch,
  find: async (typed, signal) => (await import('./queries.ts')).findLogs(typed, signal),
  load: async () => (await import('./page.tsx')).LogPage,
})

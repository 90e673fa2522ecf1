import { ScrollText } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { AuditSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/audit',
  role: 'root',
  title: { zh: '审计日志', en: 'Audit log' },
  nav: { section: 'settings', order: 30, icon: ScrollText },
  search: AuditSearch,
  load: async () => (await import('./page.tsx')).AuditPage,
})

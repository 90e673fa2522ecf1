import { ChartColumn } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { ScreenSearch } from './panels.ts'

export const screen = defineScreen({
  path: '/detail',
  role: 'user',
  organization: 'billing',
  title: { zh: '数据看板', en: 'Dashboard' },
  nav: {
    section: 'use',
    order: 40,
    icon: ChartColumn,
    key: 'd',
    when: status => status.enable_data_export,
  },
  headerButton: { role: 'admin', load: async () => (await import('./attention/bell.tsx')).AttentionBell },
  search: ScreenSearch,
  load: async () => (await import('./page.tsx')).DashboardPage,
})

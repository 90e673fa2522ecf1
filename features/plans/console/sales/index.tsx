import { Package } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { SalesSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/plan',
  role: 'admin',
  title: { zh: '套餐管理', en: 'Plan sales' },
  nav: { section: 'manage', order: 25, icon: Package },
  search: SalesSearch,
  load: async () => (await import('./page.tsx')).SalesPage,
})

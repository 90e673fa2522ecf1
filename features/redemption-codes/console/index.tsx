import { Ticket } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { RedemptionSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/redemption',
  role: 'admin',
  title: { zh: '兑换码', en: 'Redemption codes' },
  nav: { section: 'manage', order: 20, icon: Ticket, key: 'r' },
  search: RedemptionSearch,
  find: async (typed, signal) => (await import('./queries.ts')).findCodes(typed, signal),
  load: async () => (await import('./page.tsx')).RedemptionPage,
})

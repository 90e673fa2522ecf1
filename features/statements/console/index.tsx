import { ReceiptText } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { StatementSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/statement',
  role: 'user',
  organization: 'billing',
  title: { zh: '账单', en: 'Statement' },
  nav: { section: 'use', order: 55, icon: ReceiptText },
  search: StatementSearch,
  load: async () => (await import('./page.tsx')).StatementPage,
})

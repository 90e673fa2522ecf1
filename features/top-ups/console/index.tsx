import { Wallet } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/topup',
  role: 'user',
  organization: 'billing',
  title: { zh: '钱包', en: 'Wallet' },
  nav: { section: 'use', order: 50, icon: Wallet, key: 'w' },
  load: async () => (await import('./page.tsx')).TopupPage,
})

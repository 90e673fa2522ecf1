import { KeyRound } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { TokenSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/token',
  aliases: ['/console'],
  role: 'user',
  organization: 'member',
  title: { zh: '令牌', en: 'Tokens' },
  nav: { section: 'use', order: 30, icon: KeyRound, key: 't' },
  search: TokenSearch,
  find: async (typed, signal) => (await import('./queries.ts')).findTokens(typed, signal),
  load: async () => (await import('./page.tsx')).TokensPage,
})

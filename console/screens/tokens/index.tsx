import { KeyRound } from 'lucide-react'
import { defineScreen } from '../../app/define-screen.ts'
import { TokenSearch } from './search.ts'

export const screen = defineScreen({
  path: '/token',
  aliases: ['/console'],
  role: 'user',
  title: { zh: '令牌', en: 'Tokens' },
  nav: { section: 'use', order: 30, icon: KeyRound, key: 't' },
  search: TokenSearch,
  find: async (typed, signal) => (await import('./find-tokens.ts')).findTokens(typed, signal),
  load: async () => (await import('./tokens-screen.tsx')).TokensScreen,
})

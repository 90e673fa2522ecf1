import { defineScreen } from '#console/app/router/define-screen.ts'
import { JoinSearch } from './search-params.ts'

/** Where the link of an invitation leads. */
export const screen = defineScreen({
  path: '/join',
  role: 'user',
  organization: 'member',
  title: { zh: '加入组织', en: 'Join an organisation' },
  search: JoinSearch,
  load: async () => (await import('./page.tsx')).JoinPage,
})

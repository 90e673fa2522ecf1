import { Users } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { UserSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/user',
  below: ['/user/add', '/user/edit/$id', '/user/$id'],
  role: 'admin',
  title: { zh: '用户管理', en: 'Users' },
  nav: { section: 'manage', order: 30, icon: Users, key: 'u' },
  search: UserSearch,
  find: async (typed, signal) => (await import('./queries.ts')).findUsers(typed, signal),
  load: async () => (await import('./page.tsx')).UsersPage,
})

import { Settings } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { SettingSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/setting',
  aliases: ['/personal', '/user/edit'],
  role: 'user',
  title: { zh: '设置', en: 'Settings' },
  nav: { section: 'settings', order: 10, icon: Settings, key: 's' },
  search: SettingSearch,
  find: async typed => (await import('./find.ts')).findOptions(typed),
  load: async () => (await import('./page.tsx')).SettingPage,
})

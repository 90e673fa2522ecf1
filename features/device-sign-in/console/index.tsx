import { defineScreen } from '#console/app/router/define-screen.ts'
import { DeviceSearch } from './search-params.ts'

/** Where a program that signs in by device code sends its user. */
export const screen = defineScreen({
  path: '/device',
  role: 'user',
  layout: 'bare',
  title: { zh: '程序登录', en: 'Program sign-in' },
  search: DeviceSearch,
  load: async () => (await import('./page.tsx')).DevicePage,
})

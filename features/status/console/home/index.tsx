import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/',
  aliases: ['/home'],
  role: 'visitor',
  layout: 'plain',
  title: { zh: '首页', en: 'Home' },
  load: async () => (await import('./page.tsx')).HomePage,
})

import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/about',
  role: 'visitor',
  layout: 'plain',
  title: { zh: '关于', en: 'About' },
  load: async () => (await import('./page.tsx')).AboutPage,
})

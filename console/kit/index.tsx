import { defineScreen } from '../app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/dev/kit',
  role: 'visitor',
  layout: 'plain',
  title: { zh: '组件', en: 'Kit' },
  load: async () => (await import('./page.tsx')).KitPage,
})

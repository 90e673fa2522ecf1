import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/subscription',
  role: 'user',
  title: { zh: '套餐', en: 'Plans' },
  load: async () => (await import('./page.tsx')).SubscriptionPage,
})

import { defineScreen } from '#console/app/router/define-screen.ts'
import { PricingSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/pricing',
  role: 'visitor',
  layout: 'plain',
  title: { zh: '模型价格', en: 'Pricing' },
  search: PricingSearch,
  find: async typed => (await import('./queries.ts')).findModels(typed),
  load: async () => (await import('./page.tsx')).PricingPage,
})

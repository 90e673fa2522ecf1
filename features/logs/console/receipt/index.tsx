import { defineScreen } from '#console/app/router/define-screen.ts'
import { ReceiptSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/receipt',
  role: 'visitor',
  layout: 'plain',
  title: { zh: '凭据', en: 'Receipt' },
  search: ReceiptSearch,
  load: async () => (await import('./page.tsx')).ReceiptPage,
})

import { defineSlots } from '#console/app/slots.ts'
import { ReconciliationSearch } from './search-params.ts'

export const slots = defineSlots({
  dashboardPanels: [
    {
      tab: 'reconciliation',
      order: 20,
      role: 'admin',
      title: { zh: '对账', en: 'Reconciliation' },
      search: ReconciliationSearch,
      load: async () => (await import('./panel.tsx')).ReconciliationPanel,
    },
  ],
})

import { defineSlots } from '#console/app/slots.ts'
import { AnalyticsSearch } from './search-params.ts'

export const slots = defineSlots({
  dashboardPanels: [
    {
      tab: 'analytics',
      order: 10,
      role: 'user',
      title: { zh: '分析', en: 'Analytics' },
      search: AnalyticsSearch,
      load: async () => (await import('./analytics-panel.tsx')).AnalyticsPanel,
    },
  ],
})

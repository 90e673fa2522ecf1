import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  settingsSections: [
    {
      kind: 'view',
      section: 'models',
      id: 'updates',
      title: { zh: '价格更新', en: 'Updates' },
      keys: ['PriceFeedEnabled', 'PriceFeedUrl'],
      load: async () => (await import('./panel.tsx')).PriceUpdatesPanel,
    },
  ],
})

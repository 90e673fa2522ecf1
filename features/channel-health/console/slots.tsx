import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  sections: [
    {
      of: 'channel',
      id: 'health',
      order: 10,
      title: { zh: '近 24 小时', en: 'Last 24 hours' },
      load: async () => (await import('./day-section.tsx')).HealthSection,
    },
  ],
})

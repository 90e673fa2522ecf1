import { PRICE_OPTION_KEYS } from '#console/app/settings/price-options.ts'
import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  settingsSections: [
    {
      kind: 'editor',
      section: 'groups',
      load: async () => (await import('./groups-editor.tsx')).GroupsEditor,
    },
    {
      kind: 'editor',
      section: 'models',
      load: async () => (await import('./models-editor.tsx')).ModelsEditor,
    },
  ],
  saveActions: [
    {
      keys: PRICE_OPTION_KEYS,
      step: 'review',
      load: async () => (await import('./price-review.tsx')).PriceReview,
    },
  ],
})

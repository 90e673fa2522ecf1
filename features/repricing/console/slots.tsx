import { PRICE_OPTION_KEYS } from '#console/app/settings/price-options.ts'
import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  saveActions: [
    {
      keys: ['GroupRatio', ...PRICE_OPTION_KEYS],
      step: 'edit',
      load: async () => (await import('./reprice-button.tsx')).RepriceButton,
    },
  ],
})

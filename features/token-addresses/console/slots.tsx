import { defineSlots } from '#console/app/slots.ts'

export const slots = defineSlots({
  sections: [
    {
      of: 'token',
      id: 'addresses',
      order: 20,
      title: { zh: '使用地址', en: 'Used from' },
      load: async () => (await import('./address-list.tsx')).AddressList,
    },
  ],
})

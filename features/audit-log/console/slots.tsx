import { defineSlots } from '#console/app/slots.ts'

const SHEETS = ['token', 'user', 'channel', 'redemption'] as const

export const slots = defineSlots({
  sections: SHEETS.map(of => ({
    of,
    id: 'history',
    order: 90,
    role: 'root',
    title: { zh: '更改历史', en: 'Change history' },
    load: async () => (await import('./record-history.tsx')).HISTORIES[of],
  })),
})

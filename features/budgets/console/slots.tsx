import { defineSlots } from '#console/app/slots.ts'

const section = { id: 'budgets', order: 10, title: { zh: '预算', en: 'Budgets' } }

export const slots = defineSlots({
  sections: [
    { ...section, of: 'token', load: async () => (await import('./budget-list.tsx')).TokenBudgets },
    { ...section, of: 'user', load: async () => (await import('./budget-list.tsx')).UserBudgets },
  ],
})

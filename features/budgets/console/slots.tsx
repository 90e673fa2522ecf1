import { defineSlots } from '#console/app/slots.ts'
import { text } from './account-text.ts'

const section = { id: 'budgets', order: 10, title: { zh: text.zh.title, en: text.en.title } }

export const slots = defineSlots({
  sections: [
    {
      ...section,
      order: 15,
      of: 'account',
      load: async () => (await import('./account-budgets.tsx')).AccountBudgetsSection,
    },
    { ...section, of: 'token', load: async () => (await import('./budget-list.tsx')).TokenBudgets },
    { ...section, of: 'user', load: async () => (await import('./budget-list.tsx')).UserBudgets },
  ],
})

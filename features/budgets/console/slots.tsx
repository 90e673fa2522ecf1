import { defineSlots } from '#console/app/slots.ts'

const section = { id: 'budgets', order: 10, title: { zh: '预算', en: 'Budgets' } }

export const slots = defineSlots({
  sections: [
    {
      ...section,
      order: 55,
      of: 'account',
      load: async () => (await import('./account-budgets.tsx')).AccountBudgetsSection,
    },
    { ...section, of: 'token', load: async () => (await import('./budget-list.tsx')).TokenBudgets },
    { ...section, of: 'user', load: async () => (await import('./budget-list.tsx')).UserBudgets },
    { ...section, of: 'member', load: async () => (await import('./budget-list.tsx')).MemberBudgets },
    { ...section, of: 'project', load: async () => (await import('./budget-list.tsx')).ProjectBudgets },
    { ...section, of: 'organization', load: async () => (await import('./budget-list.tsx')).UserBudgets },
  ],
})

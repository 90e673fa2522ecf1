import { accountSection } from '#console/app/slots.ts'

export const slots = accountSection({
  id: 'sessions',
  order: 68,
  title: { zh: '登录会话', en: 'Sessions' },
  load: async () => (await import('./section.tsx')).SessionsSection,
})

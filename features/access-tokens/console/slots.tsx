import { accountSection } from '#console/app/slots.ts'

export const slots = accountSection({
  id: 'access-tokens',
  order: 55,
  title: { zh: '访问令牌', en: 'Access tokens' },
  load: async () => (await import('./section.tsx')).AccessTokensSection,
})

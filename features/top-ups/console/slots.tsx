import { accountSection } from '#console/app/slots.ts'

export const slots = accountSection({
  id: 'invitation',
  order: 30,
  title: { zh: '邀请信息', en: 'Invitations' },
  load: async () => (await import('./invitation/invitation.tsx')).InvitationSection,
})

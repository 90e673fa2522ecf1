import { Building2 } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { currentOrganization } from '../acting.ts'

export const screen = defineScreen({
  path: '/organization',
  role: 'user',
  organization: 'member',
  title: { zh: '组织', en: 'Organisation' },
  nav: { section: 'use', order: 65, icon: Building2, when: () => currentOrganization() !== undefined },
  headerButton: { role: 'user', load: async () => (await import('../switcher.tsx')).Switcher },
  load: async () => (await import('./page.tsx')).OrganizationPage,
})

import { FlaskConical } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { PlaygroundSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/playground',
  role: 'user',
  layout: 'workspace',
  title: { zh: '操练场', en: 'Playground' },
  nav: { section: 'use', order: 10, icon: FlaskConical, key: 'p' },
  search: PlaygroundSearch,
  load: async () => (await import('./page.tsx')).PlaygroundPage,
})

import { ListMusic } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { TaskSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/task',
  role: 'user',
  title: { zh: '异步任务', en: 'Tasks' },
  nav: { section: 'use', order: 80, icon: ListMusic, when: status => status.enable_task },
  search: TaskSearch,
  load: async () => (await import('./page.tsx')).TasksPage,
})

import { Image } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { DrawingSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/midjourney',
  role: 'user',
  title: { zh: '绘图日志', en: 'Drawings' },
  nav: { section: 'use', order: 70, icon: Image, when: status => status.enable_drawing },
  search: DrawingSearch,
  load: async () => (await import('./page.tsx')).DrawingsPage,
})

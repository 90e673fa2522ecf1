import { defineScreen } from '#console/app/router/define-screen.ts'

/** A URL for operators to share: it redirects to the first configured chat. */
export const screen = defineScreen({
  path: '/chat2link',
  role: 'user',
  layout: 'frame',
  title: { zh: '打开聊天', en: 'Opening chat' },
  load: async () => (await import('./page.tsx')).Chat2linkPage,
})

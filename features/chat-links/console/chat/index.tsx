import { MessageSquare } from 'lucide-react'
import { chatNavItems } from '#console/app/chat/chat-links.ts'
import { defineScreen } from '#console/app/router/define-screen.ts'

export const screen = defineScreen({
  path: '/chat',
  below: ['/chat/$id'],
  role: 'visitor',
  layout: 'frame',
  title: { zh: '聊天', en: 'Chat' },
  nav: {
    section: 'use',
    order: 20,
    icon: MessageSquare,
    when: status => chatNavItems(status).length > 0,
    items: chatNavItems,
  },
  load: async () => (await import('./page.tsx')).ChatPage,
})

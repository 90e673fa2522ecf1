import { MessageSquare } from 'lucide-react'
import { openChats } from '../../app/chat/chat-links.ts'
import { defineScreen } from '../../app/router/define-screen.ts'

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
    when: status => openChats(status).length > 0,
    items: openChats,
  },
  load: async () => (await import('./page.tsx')).ChatPage,
})

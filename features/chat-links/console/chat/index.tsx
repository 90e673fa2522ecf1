import { MessageSquare } from 'lucide-react'
import { type ConfiguredLinks, chatAddress, chatLinks } from '#console/app/chat/chat-links.ts'
import { defineScreen } from '#console/app/router/define-screen.ts'

/** Sidebar items of the chats with a valid link. */
export const chatNavItems = (
  links: ConfiguredLinks,
): ReadonlyArray<{ readonly label: string; readonly to: string }> =>
  chatLinks(links).flatMap(({ name, template }, index) =>
    chatAddress(template, 'k', 'https://server.example') ? [{ label: name, to: `/chat/${index}` }] : [],
  )

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

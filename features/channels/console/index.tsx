import { Network } from 'lucide-react'
import { defineScreen } from '#console/app/router/define-screen.ts'
import { ChannelSearch } from './search-params.ts'

export const screen = defineScreen({
  path: '/channel',
  below: ['/channel/add', '/channel/edit/$id'],
  role: 'admin',
  title: { zh: '渠道', en: 'Channels' },
  nav: { section: 'manage', order: 10, icon: Network, key: 'c' },
  search: ChannelSearch,
  find: async (typed, signal) => (await import('./queries.ts')).findChannels(typed, signal),
  load: async () => (await import('./page.tsx')).ChannelsPage,
})

/** The pages of the site in reading order. A link ends in the page's path without `.md`. */
export const enSidebar = [
  {
    text: 'Install',
    items: [
      { text: 'npx', link: '/install/npm' },
      { text: 'Docker', link: '/install/docker' },
      { text: 'Linux service', link: '/install/linux' },
      { text: 'Kubernetes', link: '/install/kubernetes' },
      { text: 'Platforms', link: '/install/platforms' },
    ],
  },
  {
    text: 'Guides',
    items: [
      { text: 'Getting started', link: '/guides/getting-started' },
      { text: 'Claude Code sign-in', link: '/guides/claude-code' },
      { text: 'Migrating', link: '/guides/migrating' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Configuration', link: '/reference/configuration' },
      { text: 'Paths', link: '/reference/paths' },
      { text: 'Routing', link: '/reference/routing' },
      { text: 'Responses API', link: '/reference/responses' },
      { text: 'Providers', link: '/reference/providers' },
      { text: 'Tools', link: '/reference/tools' },
      { text: 'Agents', link: '/reference/agents' },
      { text: 'Prices', link: '/reference/prices' },
      { text: 'Analytics', link: '/reference/analytics' },
      { text: 'Export', link: '/reference/export' },
      { text: 'Faults', link: '/reference/faults' },
    ],
  },
  {
    text: 'Operations',
    items: [
      { text: 'Operations', link: '/operations/operations' },
      { text: 'Backup and restore', link: '/operations/backup' },
      { text: 'Doctor', link: '/operations/doctor' },
      { text: 'Security', link: '/operations/security' },
      { text: 'Performance', link: '/operations/performance' },
    ],
  },
]

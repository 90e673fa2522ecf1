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
    text: 'Clients',
    items: [
      { text: 'All clients', link: '/clients/' },
      { text: 'Claude Code', link: '/clients/claude-code' },
      { text: 'Codex', link: '/clients/codex' },
      { text: 'Gemini CLI', link: '/clients/gemini-cli' },
      { text: 'opencode', link: '/clients/opencode' },
      { text: 'Cursor', link: '/clients/cursor' },
      { text: 'Cline', link: '/clients/cline' },
      { text: 'Continue', link: '/clients/continue' },
      { text: 'Open WebUI', link: '/clients/open-webui' },
      { text: 'LobeChat', link: '/clients/lobechat' },
      { text: 'Cherry Studio', link: '/clients/cherry-studio' },
      { text: 'curl', link: '/clients/curl' },
      { text: 'Python', link: '/clients/python' },
      { text: 'Node', link: '/clients/node' },
    ],
  },
  {
    text: 'Formats',
    items: [
      { text: 'OpenAI', link: '/formats/openai' },
      { text: 'Responses', link: '/formats/responses' },
      { text: 'Anthropic', link: '/formats/anthropic' },
      { text: 'Gemini', link: '/formats/gemini' },
      { text: 'Cohere', link: '/formats/cohere' },
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

import { defineConfig } from 'vitepress'
import { finishSite } from '../../scripts/docs/finish-site.mjs'
import { unlinkSources } from '../../scripts/docs/unlink-sources.mjs'
import { enSidebar } from './sidebar.mjs'

/** The site answers at /docs of every gateway. Options of the search that are functions would need eval in the browser. */
/** Pages for people who work on Tollgate. They are left out of the search. */
const INTERNAL = /^(architecture|internal)\//

export default defineConfig({
  lang: 'en',
  title: 'Tollgate',
  base: '/docs/',
  outDir: '../dist/docs-build',
  cacheDir: '../.cache/vitepress',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  srcExclude: ['README.md'],
  head: [['link', { rel: 'icon', href: '/logo.svg' }]],
  markdown: { config: unlinkSources },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      description: 'A self-hosted gateway for AI models whose books balance',
      themeConfig: {
        nav: [
          { text: 'Guides', link: '/guides/getting-started', activeMatch: '^/(guides|install)/' },
          { text: 'Clients', link: '/clients/', activeMatch: '^/(clients|formats)/' },
          { text: 'Reference', link: '/reference/configuration', activeMatch: '^/reference/' },
          { text: 'Operations', link: '/operations/operations', activeMatch: '^/operations/' },
        ],
        sidebar: enSidebar,
      },
    },
  },
  themeConfig: {
    i18nRouting: false,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        _render: (source, env, md) => (INTERNAL.test(env.relativePath) ? '' : md.render(source, env)),
      },
    },
  },
  buildEnd: finishSite,
})

import { defineConfig } from 'vitepress'
import { finishSite } from '../../scripts/docs/finish-site.mjs'
import { withSuffixes } from '../../scripts/docs/search-text.mjs'
import { unlinkSources } from '../../scripts/docs/unlink-sources.mjs'
import { enSidebar, zhSidebar } from './sidebar.mjs'

/** Pages for people who work on Tollgate. They are left out of the search. */
const INTERNAL = /^(architecture|internal)\//

const ZH_SEARCH = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    noResultsText: '没有符合条件的结果',
    resetButtonTitle: '清空',
    displayDetails: '显示详情',
    backButtonTitle: '关闭',
    footer: {
      selectText: '选择',
      navigateText: '切换',
      closeText: '关闭',
      selectKeyAriaLabel: '回车',
      navigateUpKeyAriaLabel: '上',
      navigateDownKeyAriaLabel: '下',
      closeKeyAriaLabel: 'Esc',
    },
  },
}

/** The console is one level above the documentation, also below a base path. */
const consoleLink = text => ({ text, link: '/../', target: '_self' })

/** No option of theme or search is a function, except for the build: the browser would need eval for it. */
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
          consoleLink('Console'),
        ],
        sidebar: enSidebar,
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '账目始终平衡的自托管 AI 模型网关',
      themeConfig: {
        // Every Chinese page has an English one under the same path, but not the other way round.
        i18nRouting: true,
        nav: [
          { text: '指南', link: '/zh/guides/getting-started', activeMatch: '^/zh/(guides|install)/' },
          { text: '客户端', link: '/zh/clients/', activeMatch: '^/zh/(clients|formats)/' },
          { text: '参考', link: '/zh/reference/configuration', activeMatch: '^/zh/reference/' },
          { text: '运维', link: '/zh/operations/operations', activeMatch: '^/zh/operations/' },
          consoleLink('控制台'),
        ],
        sidebar: zhSidebar,
        outline: { label: '本页目录' },
        docFooter: { prev: '上一页', next: '下一页' },
        langMenuLabel: '切换语言',
        returnToTopLabel: '返回顶部',
        sidebarMenuLabel: '菜单',
        darkModeSwitchLabel: '主题',
        lightModeSwitchTitle: '切换到浅色模式',
        darkModeSwitchTitle: '切换到深色模式',
        skipToContentLabel: '跳转到内容',
        notFound: { title: '页面不存在', quote: '请检查地址，或从首页开始浏览。', linkText: '返回首页' },
      },
    },
  },
  themeConfig: {
    i18nRouting: false,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        locales: { zh: { translations: ZH_SEARCH } },
        _render: (source, env, md) =>
          INTERNAL.test(env.relativePath) ? '' : withSuffixes(md.render(source, env)),
      },
    },
  },
  buildEnd: finishSite,
})

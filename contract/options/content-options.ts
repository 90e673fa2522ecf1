import { address, inSection, link, page, text } from './define-option.ts'
import { SECTIONS } from './sections.ts'

export const contentOptions = {
  ...inSection(SECTIONS.content, {
    Notice: page({
      label: { zh: '公告', en: 'Announcement' },
      help: { zh: '支持 Markdown 和 HTML，脚本会被移除', en: 'Markdown and HTML. Scripts are removed.' },
    }),
    SystemName: text('Tollgate', {
      label: { zh: '系统名称', en: 'System name' },
      help: { zh: '显示在标题、邮件和侧边栏中。', en: 'Shown in titles, emails and the sidebar.' },
    }),
    Logo: link('', {
      label: { zh: 'Logo 图片地址', en: 'Logo URL' },
      help: {
        zh: '图片的 https 地址；留空使用默认图标。',
        en: 'https URL of an image. Leave empty to use the default.',
      },
    }),
    HomePageContent: page({
      label: { zh: '首页内容', en: 'Home page' },
      help: {
        zh: '支持 Markdown 和 HTML；填写 https 地址则嵌入显示该页面',
        en: 'Markdown and HTML. An https URL is embedded as a page.',
      },
    }),
    About: page({
      label: { zh: '关于页面', en: 'About page' },
      help: {
        zh: '支持 Markdown 和 HTML；填写 https 地址则嵌入显示该页面',
        en: 'Markdown and HTML. An https URL is embedded as a page.',
      },
    }),
    Footer: page({
      label: { zh: '页脚', en: 'Footer' },
      help: {
        zh: '支持 HTML，脚本会被移除；留空显示版本和致谢',
        en: 'HTML. Scripts are removed. Leave empty to show the version and credits.',
      },
    }),
    UpdateFeedUrl: address('', {
      label: { zh: '更新地址', en: 'Release feed URL' },
      help: {
        zh: '返回最新版本信息的地址（GitHub releases/latest 的 JSON）；留空则不检查。',
        en: 'URL of the latest release (JSON of releases/latest on GitHub). Leave empty to never check.',
      },
    }),
  }),
}

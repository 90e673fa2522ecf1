import { type English, useText } from '../../ui/text/text.ts'
import { appText } from '../app-text.ts'

const zh = {
  paletteTitle: '搜索页面和操作',
  palettePlaceholder: '输入页面或操作名称',
  paletteRecent: '最近打开',
  palettePages: '页面',
  apiReference: 'API 文档',
  paletteActions: '操作',
  paletteEmpty: '没有找到匹配的内容',
  paletteSearching: '正在搜索…',
  paletteFailed: '搜索失败：{names}',
  switchLanguage: '切换到英文',
}

const en: English<typeof zh> = {
  paletteTitle: 'Search pages and actions',
  palettePlaceholder: 'Type a page or an action',
  paletteRecent: 'Recently opened',
  palettePages: 'Pages',
  apiReference: 'API reference',
  paletteActions: 'Actions',
  paletteEmpty: 'No results',
  paletteSearching: 'Searching…',
  paletteFailed: 'Search failed: {names}',
  switchLanguage: 'Switch to Chinese',
}

/** The texts of the shell, and those that load with the palette. */
export const paletteText = { zh: { ...appText.zh, ...zh }, en: { ...appText.en, ...en } }
export const usePaletteText = () => useText(paletteText)

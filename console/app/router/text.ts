import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  notFoundTitle: '页面不存在',
  notFoundText: '您访问的页面不存在，请检查地址是否正确。',
  backHome: '返回首页',
  searchPages: '搜索页面',
  didYouMean: '您要找的是不是“{page}”？',
  noPermissionTitle: '没有权限',
  noPermissionText: '您没有权限访问此页面，请联系管理员。',
}

const en: English<typeof zh> = {
  notFoundTitle: 'Page not found',
  notFoundText: 'This page does not exist. Check the address.',
  backHome: 'Back to home',
  searchPages: 'Search pages',
  didYouMean: 'Did you mean {page}?',
  noPermissionTitle: 'No permission',
  noPermissionText: 'You do not have permission to open this page. Contact the administrator.',
}

const text = { zh, en }
/** Texts of the pages that are missing or closed to the reader, which load with them. */
export const useMissingText = () => useText(text)

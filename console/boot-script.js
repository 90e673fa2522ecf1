;(() => {
  const read = key => {
    try {
      // biome-ignore lint/style/noRestrictedGlobals: runs before console/app is there
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const stored = read('theme-mode')
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
  const dark = stored === 'dark' || (stored !== 'light' && prefersDark)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  const language = read('language') || read('i18nextLng') || 'zh'
  document.documentElement.lang = language.startsWith('en') ? 'en' : 'zh'
})()

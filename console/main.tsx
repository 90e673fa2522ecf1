import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { basePath } from './app/api/base-path.ts'
import { queryClient } from './app/api/query-client.ts'
import { followSystemTheme, storedLanguage } from './app/preferences/appearance.ts'
import { router } from './app/router/router.tsx'
import { listenForShortcuts } from './app/shell/shortcuts.ts'
import { OverlayHost } from './ui/overlays/overlay-host.tsx'
import './ui/styles.css'
import { changeLanguage } from './ui/text/text.ts'

changeLanguage(storedLanguage())
followSystemTheme()
listenForShortcuts()

const page = document.getElementById('root')
if (!page) throw new Error('the page has no element with the id "root"')

createRoot(page).render(
  <QueryClientProvider client={queryClient}>
    <CSPProvider disableStyleElements>
      <RouterProvider router={router} />
      <OverlayHost />
    </CSPProvider>
  </QueryClientProvider>,
)

/** After the page, so that it costs the page nothing. Browsers offer it over TLS and on this machine only. */
if (import.meta.env.PROD && 'serviceWorker' in navigator)
  window.addEventListener(
    'load',
    () => void navigator.serviceWorker.register(`${basePath}/sw.js`).catch(() => undefined),
  )

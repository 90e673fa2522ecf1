import { type ComponentType, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { lazyPage } from '../../ui/lazy-part.ts'
import { useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { hasRole, useUser } from '../session/session.ts'
import { acting, type Screen } from './define-screen.ts'

const shell = lazyPage(async () => (await import('../shell/shell.tsx')).Shell)
const noPermission = lazyPage(async () => (await import('./missing-pages.tsx')).NoPermissionPage)

/** No page has been shown since the full page load. */
let isFirstPage = true

/** How long the current page, or the blank one of a full page load, stays while the code of the next one loads. */
const LOADING_MS_MAX = 1000

/**
 * Loads a screen and its layout in parallel. Resolves when both are loaded, after a second at the latest. Until then the
 * router keeps the current page, because React shows content 300 ms late once it has shown a fallback in its place.
 */
export async function preloadScreen(screen: Screen): Promise<void> {
  const parts = screen.layout === 'bare' ? [lazyScreen(screen)] : [lazyScreen(screen), shell]
  const loading = Promise.all(parts.map(({ preload }) => preload()))
  await Promise.race([loading, new Promise(resolve => setTimeout(resolve, LOADING_MS_MAX))])
}

const Nothing = () => null

/** Renders a screen in its layout, or the no-permission page. Renders nothing while the sign-in page opens after a sign-out. */
export function ScreenFrame({ screen }: { readonly screen: Screen }) {
  const user = useUser()
  const isServed = acting.limit?.mayOpen(screen) !== false
  const mayOpen = screen.role === 'visitor' || (hasRole(user, screen.role) && isServed)
  const Refusal = user ? noPermission.Part : Nothing
  const Page = mayOpen ? lazyScreen(screen).Part : Refusal
  const page = <OpenPage key={screen.path} screen={screen} page={Page} />
  if (screen.layout === 'bare') return <BareFrame>{page}</BareFrame>
  return (
    <Suspense fallback={null}>
      <shell.Part layout={screen.layout ?? 'shell'}>
        <Suspense fallback={null}>{page}</Suspense>
      </shell.Part>
    </Suspense>
  )
}

/** Focus inside the page or an overlay is left alone. */
const FOCUS_INSIDE = 'main, [role=dialog], [role=alertdialog]'

interface OpenPageProps {
  readonly screen: Screen
  readonly page: ComponentType
}

/** Sets the document title and moves the focus to the heading, so that screen readers announce the new page. */
function OpenPage({ screen, page: Page }: OpenPageProps) {
  const language = useLanguage()
  const { system_name: system } = useStatus()
  const content = useRef<HTMLDivElement>(null)
  const title = screen.title[language]
  // Before the effects of an open sheet, which adds its own title.
  useLayoutEffect(() => {
    document.title = `${title} - ${system}`
  }, [title, system])
  useEffect(() => {
    // After a full page load the focus stays at the top, before the skip link.
    const isArrival = isFirstPage
    isFirstPage = false
    if (isArrival || document.activeElement?.closest(FOCUS_INSIDE)) return
    content.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [])
  return (
    <div ref={content} className="contents">
      <Page />
    </div>
  )
}

/** Layout without header and sidebar, for example for sign-in. */
const BareFrame = ({ children }: { readonly children: ReactNode }) => (
  <main id="content" className="min-h-dvh">
    <Suspense fallback={null}>{children}</Suspense>
  </main>
)

const RELOADED = 'reloaded-for-update'

type ScreenPart = ReturnType<typeof lazyPage<object>>

const parts = new Map<Screen, ScreenPart>()

/** The lazy component of a screen. */
function lazyScreen(screen: Screen): ScreenPart {
  const cached = parts.get(screen)
  if (cached) return cached
  const part = lazyPage(() => loadScreen(screen), reloadOnce)
  parts.set(screen, part)
  return part
}

async function loadScreen(screen: Screen): Promise<ComponentType> {
  const Page = await screen.load()
  sessionStorage.removeItem(RELOADED)
  return Page
}

/** After an update the old chunks are gone from the server, so the page reloads once before it shows the error. */
async function reloadOnce(error: unknown): Promise<ComponentType> {
  if (sessionStorage.getItem(RELOADED) !== null) throw error
  sessionStorage.setItem(RELOADED, '1')
  window.location.reload()
  return new Promise(() => undefined)
}

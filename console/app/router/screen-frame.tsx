import { type ComponentType, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useLanguage } from '../../ui/text/text.ts'
import { useStatus } from '../api/status.ts'
import { mayAct, useUser } from '../session/session.ts'
import type { Screen } from './define-screen.ts'

const shell = lazyPart(async () => (await import('../shell/shell.tsx')).Shell)
const noPermission = lazyPart(async () => (await import('./missing-pages.tsx')).NoPermissionPage)

/** Fetches a screen's code and its surroundings together. */
export function preloadScreen(screen: Screen): void {
  lazyScreen(screen).preload()
  if (screen.layout !== 'bare') shell.preload()
}

/** Puts a screen into its surroundings, once its code is here and its reader may see it. */
export function ScreenFrame({ screen }: { readonly screen: Screen }) {
  const user = useUser()
  const mayOpen = screen.role === 'visitor' || mayAct(user, screen.role)
  const Page = mayOpen ? lazyScreen(screen).Part : noPermission.Part
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

/** Whoever is in the page already, or in something over it, is not taken away from there. */
const AT_WORK = 'main, [role=dialog], [role=alertdialog]'

/** A page that was just loaded begins at its top, with the link to its content. */
let isFirstPage = true

interface OpenPageProps {
  readonly screen: Screen
  readonly page: ComponentType
}

/** Names the window and gives the focus to the page's heading, so that a screen reader hears where it is. */
function OpenPage({ screen, page: Page }: OpenPageProps) {
  const language = useLanguage()
  const { system_name: system } = useStatus()
  const content = useRef<HTMLDivElement>(null)
  const title = screen.title[language]
  useEffect(() => {
    document.title = `${title} - ${system}`
  }, [title, system])
  useEffect(() => {
    const isArrival = isFirstPage
    isFirstPage = false
    if (isArrival || document.activeElement?.closest(AT_WORK)) return
    content.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [])
  return (
    <div ref={content} className="contents">
      <Page />
    </div>
  )
}

/** Nothing around the page: for sign-in and the like. */
const BareFrame = ({ children }: { readonly children: ReactNode }) => (
  <main id="content" className="min-h-dvh">
    <Suspense fallback={null}>{children}</Suspense>
  </main>
)

const RELOADED = 'reloaded-for-update'

type ScreenPart = ReturnType<typeof lazyPart<object>>

const parts = new Map<Screen, ScreenPart>()

/** The component of a screen, fetched when it is first drawn or preloaded. */
function lazyScreen(screen: Screen): ScreenPart {
  const known = parts.get(screen)
  if (known) return known
  const part = lazyPart(() => loadOrReload(screen))
  parts.set(screen, part)
  return part
}

/** After an update the old code is gone from the server: the page reloads once, then the error is shown. */
async function loadOrReload(screen: Screen): Promise<ComponentType> {
  try {
    const Page = await screen.load()
    sessionStorage.removeItem(RELOADED)
    return Page
  } catch (error) {
    if (sessionStorage.getItem(RELOADED) !== null) throw error
    sessionStorage.setItem(RELOADED, '1')
    window.location.reload()
    return new Promise(() => undefined)
  }
}

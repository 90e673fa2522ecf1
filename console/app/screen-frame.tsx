import { type ComponentType, Suspense, useEffect, useRef } from 'react'
import { lazyPart } from '../ui/lazy-part.ts'
import { useLanguage } from '../ui/text.ts'
import { BareFrame } from './bare-frame.tsx'
import type { Screen } from './define-screen.ts'
import { lazyScreen } from './lazy-screen.ts'
import { mayAct, useUser } from './session.ts'
import { useStatus } from './status.ts'

const shell = lazyPart(async () => (await import('./shell/shell.tsx')).Shell)
const noPermission = lazyPart(async () => (await import('./no-permission-page.tsx')).NoPermissionPage)

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

import { useQuery } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button, CopyButton } from '../../ui/buttons/buttons.tsx'
import { EmptyState } from '../../ui/feedback/feedback.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useKitText } from '../../ui/text/kit-text.ts'
import { onReauthenticationRequired, onSessionExpired } from '../api/call.ts'
import { queryClient } from '../api/query-client.ts'
import { statusQuery } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { saveDrafts } from '../forms/drafts.ts'
import { askToReauthenticate, usePendingReauthentication } from '../session/reauthentication.ts'
import { currentUser, forgetUser } from '../session/session.ts'
import type { Screen } from './define-screen.ts'
import { preloadScreen, ScreenFrame } from './screen-frame.tsx'
import { screens } from './screens.ts'
import { cleanSearch, parseSearch, stringifySearch } from './search-params.ts'

const notFound = lazyPart(async () => (await import('./missing-pages.tsx')).NotFoundPage)

const reauthentication = lazyPart(
  async () => (await import('../session/reauthentication-dialog.tsx')).ReauthenticationDialog,
)

/** Loads the status for every page. */
function Root() {
  useQuery(statusQuery)
  const pending = usePendingReauthentication()
  return (
    <>
      <Suspense fallback={null}>
        <Outlet />
      </Suspense>
      <Suspense fallback={null}>{pending && <reauthentication.Part onDone={pending.respond} />}</Suspense>
    </>
  )
}

const root = createRootRoute({ component: Root, notFoundComponent: () => <notFound.Part /> })

/** Sends visitors to the sign-in page, which returns them to `address` afterwards. */
function requireSignIn(screen: Screen, address: string): void {
  if (screen.role === 'visitor' || currentUser()) return
  throw redirect({ to: '/login', search: { next: address } })
}

function createScreenRoute(screen: Screen): AnyRoute {
  const { search } = screen
  const route = createRoute({
    getParentRoute: () => root,
    path: screen.path,
    beforeLoad: ({ location }) => requireSignIn(screen, location.href),
    loader: () => preloadScreen(screen),
    component: () => <ScreenFrame screen={screen} />,
    ...(search ? { validateSearch: (found: Record<string, unknown>) => cleanSearch(search, found) } : {}),
  })
  if (!screen.below) return route
  const below = screen.below.map(path =>
    createRoute({ getParentRoute: () => route, path: path.slice(screen.path.length), component: () => null }),
  )
  return route.addChildren(below)
}

const aliasRoutes = (screen: Screen): AnyRoute[] =>
  (screen.aliases ?? []).map(path =>
    createRoute({
      getParentRoute: () => root,
      path,
      beforeLoad: ({ search }) => {
        throw redirect({ to: screen.path, search })
      },
    }),
  )

export const router = createRouter({
  routeTree: root.addChildren([...screens.map(createScreenRoute), ...screens.flatMap(aliasRoutes)]),
  parseSearch: parseSearch,
  stringifySearch: stringifySearch,
  defaultErrorComponent: CrashPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

onReauthenticationRequired(askToReauthenticate)

onSessionExpired(() => {
  if (!currentUser() && router.state.location.pathname === '/login') return
  const next = router.state.location.href
  saveDrafts()
  forgetUser()
  queryClient.clear()
  void router.navigate({ to: '/login', search: { expired: 'true', next }, ignoreBlocker: true })
})

const ID_LENGTH = 8

const crashId = (): string => crypto.randomUUID().slice(0, ID_LENGTH)

/** Replaces a page that crashed. The id and the message are copied together. */
function CrashPage({ error }: ErrorComponentProps) {
  const t = useAppText()
  const copy = useKitText()('copy')
  const [id] = useState(crashId)
  const message = error instanceof Error ? error.message : String(error)
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <EmptyState
        icon={TriangleAlert}
        title={t('crashTitle')}
        text={t('crashText')}
        action={
          <Button variant="primary" onClick={() => window.location.reload()}>
            {t('reload')}
          </Button>
        }
      >
        <p className="flex items-center gap-2 rounded-control bg-sunken px-3 py-2 font-mono text-caption">
          <span className="min-w-0 flex-1 break-words">
            {id} · {message}
          </span>
          <CopyButton text={`${id} ${window.location.pathname} ${message}`} label={`${copy} · ${id}`} />
        </p>
      </EmptyState>
    </main>
  )
}

import { useQuery } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Outlet,
  redirect,
  useRouterState,
} from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button, CopyButton } from '../../ui/buttons/buttons.tsx'
import { EmptyState, ProgressLine } from '../../ui/feedback/feedback.tsx'
import { lazyPage, lazyPart, PartLoadError } from '../../ui/lazy-part.ts'
import { closeMessages, toast } from '../../ui/overlays/messages.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { basePath } from '../api/base-path.ts'
import { callHandlers } from '../api/call.ts'
import { queryClient } from '../api/query-client.ts'
import { statusQuery } from '../api/status.ts'
import { useAppText } from '../app-text.ts'
import { dropDrafts, saveDrafts } from '../forms/drafts.ts'
import {
  askToReauthenticate,
  cancelReauthentication,
  secondStep,
  usePendingReauthentication,
} from '../session/reauthentication.ts'
import {
  currentUser,
  followOtherTabs,
  followStoredUser,
  forgetUser,
  onUserChange,
  useUser,
} from '../session/session.ts'
import { dropUserData } from '../session/user-storage.ts'
import type { Screen } from './define-screen.ts'
import { preloadScreen, ScreenFrame } from './screen-frame.tsx'
import { screens } from './screens.ts'
import { cleanSearch, parseSearch, stringifySearch } from './search-params.ts'

const notFound = lazyPage(async () => (await import('./missing-pages.tsx')).NotFoundPage)

const reauthentication = lazyPart(
  async () => (await import('../session/reauthentication-dialog.tsx')).ReauthenticationDialog,
)

const factor = lazyPart(async () => (await import('../session/factor-dialog.tsx')).FactorDialog)

/** Loads the status for every page. */
function Root() {
  useQuery(statusQuery)
  const pending = usePendingReauthentication()
  const pendingStep = secondStep.usePending()
  const userId = useUser()?.id
  const isLoading = useRouterState({ select: state => state.isLoading })
  return (
    <>
      <div className="fixed inset-x-0 top-0 z-50">{isLoading && <ProgressLine />}</div>
      {/* Another user gets new components: no state, revealed key or open sheet of the former one survives. */}
      <Suspense key={userId ?? 'visitor'} fallback={null}>
        <Outlet />
      </Suspense>
      <Suspense fallback={null}>{pending && <reauthentication.Part onDone={pending.respond} />}</Suspense>
      <Suspense fallback={null}>{pendingStep && <factor.Part onDone={pendingStep.respond} />}</Suspense>
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
  basepath: basePath,
  routeTree: root.addChildren([...screens.map(createScreenRoute), ...screens.flatMap(aliasRoutes)]),
  parseSearch: parseSearch,
  stringifySearch: stringifySearch,
  defaultErrorComponent: CrashPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

callHandlers.reauthenticate = askToReauthenticate
callHandlers.takeSecondStep = secondStep.ask
callHandlers.enrol = why => {
  if (router.state.location.pathname === '/setting') return
  toast('info', why)
  void router.navigate({ to: '/setting', search: { section: 'factors' }, ignoreBlocker: true })
}

/** Drops what belonged to the former user. The status is the same for everybody. */
onUserChange(user => {
  const former = currentUser()
  if (former) saveDrafts(former.id)
  if (user) {
    dropDrafts(user.id)
    dropUserData(user.id)
  }
  cancelReauthentication()
  closeMessages()
  queryClient.removeQueries({ predicate: query => query.queryKey[0] !== statusQuery.queryKey[0] })
  queryClient.getMutationCache().clear()
})

/** Opens the sign-in page, which tells why and returns to this page afterwards. */
function openSignIn(reason: 'true' | 'signed-out'): void {
  const next = router.state.location.href
  void router.navigate({ to: '/login', search: { expired: reason, next }, ignoreBlocker: true })
}

callHandlers.onExpired = () => {
  // The call was made in the name of the former user, after another tab had signed somebody else in or out.
  if (followStoredUser()) return
  if (!currentUser() && router.state.location.pathname === '/login') return
  openSignIn('true')
  forgetUser()
}

followOtherTabs(user => {
  if (!user) return isOpenToVisitors() ? undefined : openSignIn('signed-out')
  // The search of the page names what the former user had open.
  const { pathname } = router.state.location
  void router.navigate({ to: pathname, search: {}, replace: true, ignoreBlocker: true })
})

function isOpenToVisitors(): boolean {
  const { pathname } = router.state.location
  const isBelow = (path: string) => path !== '/' && pathname.startsWith(`${path}/`)
  return screens.some(({ path, role }) => role === 'visitor' && (pathname === path || isBelow(path)))
}

const ID_LENGTH = 8

const crashId = (): string => crypto.randomUUID().slice(0, ID_LENGTH)

/** Replaces a page that crashed. The id and the message are copied together. */
function CrashPage({ error }: ErrorComponentProps) {
  const t = useAppText()
  const k = useKitText()
  const [id] = useState(crashId)
  const message = error instanceof Error ? error.message : String(error)
  const isLoadFailure = error instanceof PartLoadError
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <EmptyState
        icon={TriangleAlert}
        title={t(isLoadFailure ? 'loadFailedTitle' : 'crashTitle')}
        text={t(isLoadFailure ? 'loadFailedText' : 'crashText')}
        action={
          <Button variant="primary" onClick={() => window.location.reload()}>
            {k('reload')}
          </Button>
        }
      >
        <p className="flex items-center gap-2 rounded-control bg-sunken px-3 py-2 font-mono text-caption">
          <span className="min-w-0 flex-1 break-words">
            {id} · {message}
          </span>
          <CopyButton text={`${id} ${window.location.pathname} ${message}`} label={`${k('copy')} · ${id}`} />
        </p>
      </EmptyState>
    </main>
  )
}

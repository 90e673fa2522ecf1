import { afterEach, expect } from 'bun:test'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { configure, screen } from '@testing-library/dom'
import { PointerEventsCheckLevel, type UserEvent, userEvent } from '@testing-library/user-event'
import { createRoot } from 'react-dom/client'
import type { DataOf } from '#contract/endpoint.ts'
import { getSelf, type User } from '#contract/entities/user.ts'
import { ROLE } from '#contract/enums.ts'
import { getSetup } from '#contract/options/options.ts'
import { listUnnamedProxies } from '#contract/options/unnamed-proxies.ts'
import { getNotice, getStart, getStatus, type Status } from '#contract/status.ts'
import { getBackups } from '#features/backups/contract.ts'
import { listChannelHealth } from '#features/channel-health/contract.ts'
import { listChannels } from '#features/channels/contract/channel-endpoints.ts'
import { getDiskForecast } from '#features/doctor/contract.ts'
import { listOwnOrganizations } from '#features/organizations/contract/organizations.ts'
import { listUsageSpikes } from '#features/usage-alarm/contract.ts'
import { queryClient } from '../app/api/query-client.ts'
import { UNKNOWN_STATUS } from '../app/api/status.ts'
import { router } from '../app/router/router.tsx'
import { forgetUser, rememberUser } from '../app/session/session.ts'
import { listenForShortcuts } from '../app/shell/shortcuts.ts'
import { OverlayHost } from '../ui/overlays/overlay-host.tsx'
import { changeLanguage } from '../ui/text/text.ts'
import { createFakeGateway, type FakeGateway } from './fake-gateway.ts'

/** The signed-in super administrator. */
export const SELF: User = {
  id: 1,
  username: 'root',
  password: '',
  display_name: 'Root User',
  role: ROLE.root,
  status: 1,
  email: '',
  kind: 'person',
  github_id: '',
  linux_do_id: '',
  wechat_id: '',
  telegram_id: '',
  access_token: null,
  quota: 100_000_000,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: 'abcd',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null,
  setting: '',
  must_change_password: false,
}

/** An installation that lacks nothing. */
export const SETUP: DataOf<typeof getSetup> = {
  has_channel: true,
  has_tested_channel: true,
  model_count: 1,
  unpriced_models: [],
  has_token: true,
  has_server_address: true,
  has_retries: true,
  has_email: true,
  has_shared_limits: true,
}

const NO_BACKUP = { is_configured: false, interval_hours: 0, keep: 0 } as const

interface PageOptions {
  /** Signed-in user, as far as it differs from the super administrator. */
  readonly self?: Partial<User>
  readonly status?: Partial<Status>
}

let gateway: FakeGateway

/** A gateway that knows the account and the status. The test adds what its page calls. */
export function fakeGateway({ self = {}, status = {} }: PageOptions = {}): FakeGateway {
  const user = { ...SELF, ...self }
  const known = { ...UNKNOWN_STATUS, version: '1.2.3', enable_data_export: true, ...status }
  gateway = createFakeGateway()
    .on(getStart, () => ({ status: known, notice: '', self: user, unnamed_proxies: [] }))
    .on(getStatus, () => known)
    .on(getNotice, () => '')
    .on(getSelf, () => user)
    .on(getSetup, () => SETUP)
    .on(listUnnamedProxies, () => [])
    // What the header asks on every page: the switch of organisations, and the bell of operators.
    .on(listOwnOrganizations, () => ({ items: [], may_create: false }))
    .on(listChannels, () => [], { total: 0, page: 0, page_size: 100 })
    .on(listChannelHealth, () => [])
    .on(listUsageSpikes, () => [])
    .on(getBackups, () => ({ ...NO_BACKUP, is_running: false, failure: '', backups: [] }))
    .on(getDiskForecast, () => ({ free_bytes: 1_000_000_000, full_in_days: null }))
  rememberUser(user)
  return gateway
}

const WAIT_MS_MAX = 10_000

/**
 * What is hidden counts as found, because happy-dom computes styles slowly: whether a reader can reach a control is for
 * browsers to prove. A failure names what it did not find instead of printing the page.
 */
configure({
  asyncUtilTimeout: WAIT_MS_MAX,
  defaultHidden: true,
  getElementError: message => new Error(message?.split('\n')[0]),
})

/** A page without calls, which every test leaves behind. */
const NOWHERE = '/no-page'

let isMounted = false

/** Mounts the console once for all tests of a process, as a browser does: another user gets new components. */
function mountConsole(): void {
  if (isMounted) return
  isMounted = true
  globalThis.fetch = Object.assign(
    (url: string | URL | Request, request?: RequestInit) => gateway.fetch(String(url), request),
    { preconnect: () => undefined },
  )
  listenForShortcuts()
  const root = document.body.appendChild(document.createElement('div'))
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <CSPProvider disableStyleElements>
        <RouterProvider router={router} />
        <OverlayHost />
      </CSPProvider>
    </QueryClientProvider>,
  )
}

/** Opens a page of the whole console in English, with the replies of `fakeGateway` instead of a server. */
export async function openPage(path: string): Promise<UserEvent> {
  mountConsole()
  changeLanguage('en')
  await router.navigate({ href: path, ignoreBlocker: true })
  await screen.findByRole('heading', { level: 1 })
  return userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never })
}

/** Replaces what a field contains, with one event. The click keeps the focus from a form that moves it to a wrong field. */
export async function fill(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.clear(field)
  await user.click(field)
  if (text !== '') await user.paste(text)
}

/** Call once in a file of tests that open pages. */
export const closePages = (): void =>
  afterEach(async () => {
    forgetUser()
    await router.navigate({ href: NOWHERE, ignoreBlocker: true })
    queryClient.clear()
    localStorage.clear()
    sessionStorage.clear()
    expect(gateway.problems).toEqual([])
  })

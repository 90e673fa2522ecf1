import { queryOptions } from '@tanstack/react-query'
import { getStatus, Status } from '#contract/status.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { readStoredJson, writeStored, writeStoredJson } from '../preferences/local-store.ts'
import { basePath } from './base-path.ts'
import { call } from './call.ts'
import { takeFromStart } from './start.ts'

const STALE_AFTER_MS = 10 * 60_000

/** Until the server has replied for the first time. */
export const UNKNOWN_STATUS: Status = {
  version: '',
  start_time: 0,
  system_name: 'Tollgate',
  logo: '',
  footer_html: '',
  server_address: '',
  password_login: true,
  password_register: true,
  register_enabled: true,
  email_verification: false,
  github_oauth: false,
  github_client_id: '',
  linuxdo_oauth: false,
  linuxdo_client_id: '',
  telegram_oauth: false,
  telegram_bot_name: '',
  wechat_login: false,
  wechat_qrcode: '',
  turnstile_check: false,
  turnstile_site_key: '',
  price: 7.3,
  min_topup: 1,
  top_up_link: '',
  enable_online_topup: false,
  chat_link: '',
  chat_link2: '',
  chats: [],
  quota_per_unit: 500_000,
  display_in_currency: true,
  enable_batch_update: false,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: false,
  data_export_default_time: 'hour',
  data_export_interval: 5,
  default_collapse_sidebar: false,
  mj_notify_enabled: false,
  demo_site_enabled: false,
  device_sign_in: false,
}

const storedStatus = (): Status | undefined => Status.safeParse(readStoredJson('status')).data

/** Fetched by the root route and refreshed periodically. Everything else reads `useStatus`. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = (await takeFromStart('status')) ?? (await call(getStatus, { signal }))
    storeStatus(status)
    return status
  },
  staleTime: STALE_AFTER_MS,
  refetchInterval: STALE_AFTER_MS,
  initialData: storedStatus,
  initialDataUpdatedAt: 0,
  retryOnMount: false,
})

const store = createStore<Status>(storedStatus() ?? UNKNOWN_STATUS)

function storeStatus(status: Status): void {
  store.set(status)
  writeStoredJson('status', status)
  writeStoredJson('chats', status.chats)
  writeStored('chat_link', status.chat_link)
  writeStored('chat_link2', status.chat_link2)
}

/** Status of this installation: the server's, else the stored one, else harmless defaults. */
export const useStatus = (): Status => useStore(store)

/** False while only the defaults are known. */
export const isStatusKnown = (status: Status): boolean => status !== UNKNOWN_STATUS

/** Base address for clients: the configured one, else that of this page. No trailing slash. */
export const serverAddress = (status: Status): string =>
  (status.server_address || window.location.origin + basePath).replace(/\/+$/, '')

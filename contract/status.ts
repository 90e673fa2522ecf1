import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** What anybody may know of this installation. The console keeps it in local storage under `status`. */
export const Status = z.object({
  version: z.string(),
  /** Unix seconds. */
  start_time: z.number(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  password_login: z.boolean(),
  password_register: z.boolean(),
  register_enabled: z.boolean(),
  email_verification: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  price: z.number(),
  min_topup: z.number(),
  top_up_link: z.string(),
  enable_online_topup: z.boolean(),
  chat_link: z.string(),
  chat_link2: z.string(),
  /** One-key objects `{name: link}`; `{key}` and `{address}` stand for the caller's values. */
  chats: z.array(z.record(z.string(), z.string())),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  enable_batch_update: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  enable_data_export: z.boolean(),
  data_export_default_time: z.string(),
  /** Minutes between refreshes of the dashboard. */
  data_export_interval: z.number(),
  default_collapse_sidebar: z.boolean(),
  mj_notify_enabled: z.boolean(),
  demo_site_enabled: z.boolean(),
})
export type Status = z.infer<typeof Status>

export const getStatus = endpoint({
  method: 'GET',
  path: '/api/status',
  role: 'visitor',
  summary: 'Name, flags and links of this installation',
  reply: Status,
})

export const testStatus = endpoint({
  method: 'GET',
  path: '/api/status/test',
  role: 'admin',
  summary: 'Whether the database answers: 200 when it does, 503 when not',
  produces: 'application/json',
})

export const getNotice = endpoint({
  method: 'GET',
  path: '/api/notice',
  role: 'visitor',
  summary: 'The announcement as Markdown or HTML; empty when there is none',
  reply: z.string(),
})

export const getAbout = endpoint({
  method: 'GET',
  path: '/api/about',
  role: 'visitor',
  summary: 'The about page: an https address to frame, or Markdown or HTML',
  reply: z.string(),
})

export const getHomePageContent = endpoint({
  method: 'GET',
  path: '/api/home_page_content',
  role: 'visitor',
  summary: 'The home page: an https address to frame, or Markdown or HTML',
  reply: z.string(),
})

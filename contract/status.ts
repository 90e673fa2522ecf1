import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { User } from './entities/user.ts'

/** Public information about the installation. The console caches it in local storage under `status`. */
export const Status = z
  .object({
    version: z.string().meta({ description: 'Version of the gateway.', example: '0.1.0' }),
    start_time: z.number().meta({ description: 'Unix seconds of the start.', example: 1_760_000_000 }),
    system_name: z.string().meta({ description: 'Name of the installation.', example: 'Tollgate' }),
    logo: z.string().meta({ description: 'Address of the logo; empty: the default.', example: '' }),
    footer_html: z.string().meta({ description: 'Footer as HTML; empty for none.', example: '' }),
    server_address: z.string().meta({ description: 'Public address.', example: 'https://ai.example.com' }),
    password_login: z.boolean().meta({ description: 'Sign-in with a password is on.', example: true }),
    password_register: z
      .boolean()
      .meta({ description: 'Registration with a password is on.', example: true }),
    register_enabled: z.boolean().meta({ description: 'Registration is on.', example: true }),
    email_verification: z
      .boolean()
      .meta({ description: 'Registration requires a verified email address.', example: false }),
    github_oauth: z.boolean().meta({ description: 'Sign-in with GitHub is on.', example: false }),
    github_client_id: z.string().meta({ description: 'GitHub client id.', example: '' }),
    linuxdo_oauth: z.boolean().meta({ description: 'Sign-in with Linux DO is on.', example: false }),
    linuxdo_client_id: z.string().meta({ description: 'Linux DO client id.', example: '' }),
    telegram_oauth: z.boolean().meta({ description: 'Sign-in with Telegram is on.', example: false }),
    telegram_bot_name: z.string().meta({ description: 'Telegram bot of the login widget.', example: '' }),
    wechat_login: z.boolean().meta({ description: 'Sign-in with WeChat is on.', example: false }),
    wechat_qrcode: z.string().meta({ description: 'Address of the WeChat QR code.', example: '' }),
    turnstile_check: z.boolean().meta({ description: 'The Turnstile captcha is on.', example: false }),
    turnstile_site_key: z.string().meta({ description: 'Turnstile site key.', example: '' }),
    price: z.number().meta({ description: 'Price of one dollar of quota.', example: 7.3 }),
    min_topup: z.number().meta({ description: 'Minimum top-up in dollars.', example: 1 }),
    top_up_link: z
      .string()
      .meta({ description: 'Where redemption codes are sold; empty: nowhere.', example: '' }),
    enable_online_topup: z.boolean().meta({ description: 'Online payment is configured.', example: false }),
    chat_link: z.string().meta({ description: 'Address of a chat page; empty for none.', example: '' }),
    chat_link2: z
      .string()
      .meta({ description: 'Address of a second chat page; empty for none.', example: '' }),
    chats: z.array(z.record(z.string(), z.string())).meta({
      description: 'Chat pages as `{name: link}`; `{key}` and `{address}` in a link are placeholders.',
      example: [{ 'Lobe Chat': 'https://chat.example.com/?key={key}' }],
    }),
    quota_per_unit: z.number().meta({ description: 'Quota units per dollar.', example: 500_000 }),
    display_in_currency: z
      .boolean()
      .meta({ description: 'Amounts are shown in dollars instead of quota units.', example: true }),
    enable_batch_update: z.boolean().meta({ description: 'Always false.', example: false }),
    enable_drawing: z.boolean().meta({ description: 'Drawing is on.', example: true }),
    enable_task: z.boolean().meta({ description: 'Asynchronous tasks are on.', example: true }),
    enable_data_export: z.boolean().meta({ description: 'The dashboard is on.', example: true }),
    data_export_default_time: z
      .string()
      .meta({ description: 'Granularity of the dashboard: `hour`, `day` or `week`.', example: 'hour' }),
    data_export_interval: z
      .number()
      .meta({ description: 'Minutes between refreshes of the dashboard.', example: 5 }),
    default_collapse_sidebar: z
      .boolean()
      .meta({ description: 'The sidebar starts collapsed.', example: false }),
    mj_notify_enabled: z
      .boolean()
      .meta({ description: 'Callback addresses of drawing requests are passed on.', example: false }),
    demo_site_enabled: z.boolean().meta({ description: 'This is a demonstration site.', example: false }),
    device_sign_in: z
      .boolean()
      .default(false)
      .meta({ description: 'Programs may sign in by device code.', example: false }),
  })
  .meta({ id: 'Status', description: 'Public information about the installation.' })
export type Status = z.infer<typeof Status>

export const getStatus = endpoint({
  method: 'GET',
  path: '/api/status',
  role: 'visitor',
  summary: 'Get public information about the installation',
  reply: Status,
})

export const testStatus = endpoint({
  method: 'GET',
  path: '/api/status/test',
  role: 'admin',
  summary: 'Check the database connection',
  description: 'Responds with 200 when the database responds, or else with 503.',
  produces: 'application/json',
})

export const getNotice = endpoint({
  method: 'GET',
  path: '/api/notice',
  role: 'visitor',
  summary: 'Get the announcement',
  reply: z.string().meta({ description: 'Markdown or HTML; empty for none.', example: '' }),
})

export const getStart = endpoint({
  method: 'GET',
  path: '/api/start',
  role: 'visitor',
  summary: 'Get what a console needs first',
  description: 'The status, the announcement and, for those who are signed in, the account, in one call.',
  reply: z.object({
    status: Status,
    notice: z.string().meta({ description: 'Announcement; empty for none.', example: '' }),
    self: User.optional().meta({ description: 'Your account; absent for visitors.' }),
    unnamed_proxies: z.array(z.string()).optional().meta({
      description: 'As `/api/option/unnamed_proxies`, for super administrators.',
      example: [],
    }),
  }),
})

const PageContent = z.string().meta({
  description: 'An https address to embed, or Markdown or HTML; empty for the default.',
  example: '# Welcome',
})

export const getAbout = endpoint({
  method: 'GET',
  path: '/api/about',
  role: 'visitor',
  summary: 'Get the about page',
  reply: PageContent,
})

export const getHomePageContent = endpoint({
  method: 'GET',
  path: '/api/home_page_content',
  role: 'visitor',
  summary: 'Get the home page',
  reply: PageContent,
})

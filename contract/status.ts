import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { User } from './entities/user.ts'
import { flagField, numberField, textField } from './fields.ts'

/** Public information about the installation. The console caches it in local storage under `status`. */
export const Status = z
  .object({
    version: textField('Version of the gateway.', '0.1.0'),
    start_time: numberField('Unix seconds of the start.', 1_760_000_000),
    system_name: textField('Name of the installation.', 'Tollgate'),
    logo: textField('Address of the logo; empty: the default.', ''),
    footer_html: textField('Footer as HTML; empty for none.', ''),
    server_address: textField('Public address.', 'https://ai.example.com'),
    password_login: flagField('Sign-in with a password is on.', true),
    password_register: flagField('Registration with a password is on.', true),
    register_enabled: flagField('Registration is on.', true),
    email_verification: flagField('Registration requires a verified email address.', false),
    github_oauth: flagField('Sign-in with GitHub is on.', false),
    github_client_id: textField('GitHub client id.', ''),
    linuxdo_oauth: flagField('Sign-in with Linux DO is on.', false),
    linuxdo_client_id: textField('Linux DO client id.', ''),
    telegram_oauth: flagField('Sign-in with Telegram is on.', false),
    telegram_bot_name: textField('Telegram bot of the login widget.', ''),
    wechat_login: flagField('Sign-in with WeChat is on.', false),
    wechat_qrcode: textField('Address of the WeChat QR code.', ''),
    turnstile_check: flagField('The Turnstile captcha is on.', false),
    turnstile_site_key: textField('Turnstile site key.', ''),
    price: numberField('Price of one dollar of quota.', 7.3),
    min_topup: numberField('Minimum top-up in dollars.', 1),
    top_up_link: textField('Where redemption codes are sold; empty: nowhere.', ''),
    enable_online_topup: flagField('Online payment is configured.', false),
    chat_link: textField('Address of a chat page; empty for none.', ''),
    chat_link2: textField('Address of a second chat page; empty for none.', ''),
    chats: z.array(z.record(z.string(), z.string())).meta({
      description: 'Chat pages as `{name: link}`; `{key}` and `{address}` in a link are placeholders.',
      example: [{ 'Lobe Chat': 'https://chat.example.com/?key={key}' }],
    }),
    quota_per_unit: numberField('Quota units per dollar.', 500_000),
    display_in_currency: flagField('Amounts are shown in dollars instead of quota units.', true),
    enable_batch_update: flagField('Always false.', false),
    enable_drawing: flagField('Drawing is on.', true),
    enable_task: flagField('Asynchronous tasks are on.', true),
    enable_data_export: flagField('The dashboard is on.', true),
    data_export_default_time: textField('Granularity of the dashboard: `hour`, `day` or `week`.', 'hour'),
    data_export_interval: numberField('Minutes between refreshes of the dashboard.', 5),
    default_collapse_sidebar: flagField('The sidebar starts collapsed.', false),
    mj_notify_enabled: flagField('Callback addresses of drawing requests are passed on.', false),
    demo_site_enabled: flagField('This is a demonstration site.', false),
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
  reply: textField('Markdown or HTML; empty for none.', ''),
})

export const getStart = endpoint({
  method: 'GET',
  path: '/api/start',
  role: 'visitor',
  summary: 'Get what a console needs first',
  description: 'The status, the announcement and, for those who are signed in, the account, in one call.',
  reply: z.object({
    status: Status,
    notice: textField('Announcement; empty for none.', ''),
    self: User.optional().meta({ description: 'Your account; absent for visitors.' }),
    unnamed_proxies: z.array(z.string()).optional().meta({
      description: 'As `/api/option/unnamed_proxies`, for super administrators.',
      example: [],
    }),
  }),
})

const PageContent = textField(
  'An https address to embed, or Markdown or HTML; empty for the default.',
  '# Welcome',
)

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

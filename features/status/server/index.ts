import { ROLE } from '#contract/enums.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import * as endpoints from '#contract/status.ts'
import { toUser } from '#server/accounts/user-view.ts'
import type { Installation } from '#server/api/context.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import type { Language } from '#server/core/language.ts'
import { findUser } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import { options } from '../options.ts'
import { isReachable } from './queries.ts'
import { createSecurityText } from './security-text.ts'

const routes = [
  handle(endpoints.getStatus, async ({ settings, installation }) =>
    toStatus(settings.current().values, installation),
  ),
  handle(endpoints.getStart, async ({ db, settings, installation, caller, listUnnamedProxies }) => {
    const { values } = settings.current()
    const self = caller.id === 0 ? undefined : await findUser(db, caller.id)
    return {
      status: toStatus(values, installation),
      notice: values.Notice,
      self: self && toUser(self),
      ...(caller.role >= ROLE.root && { unnamed_proxies: [...listUnnamedProxies()] }),
    }
  }),
  handleResult(endpoints.testStatus, ({ db, language }) => respondHealth(db, language)),
  handle(endpoints.getNotice, async ({ settings }) => settings.current().values.Notice),
  handle(endpoints.getAbout, async ({ settings }) => settings.current().values.About),
  handle(endpoints.getHomePageContent, async ({ settings }) => settings.current().values.HomePageContent),
]

const HEALTHY = { zh: '服务器运行正常', en: 'the server is running' }

const DATABASE_DOWN = { zh: '数据库没有响应', en: 'the database is not responding' }

const UNAVAILABLE = 503

async function respondHealth(db: Database, language: Language): Promise<Response> {
  const success = await isReachable(db)
  const message = (success ? HEALTHY : DATABASE_DOWN)[language]
  return Response.json({ success, message }, { status: success ? 200 : UNAVAILABLE })
}

const toStatus = (values: OptionValues, { version, startedAt }: Installation): endpoints.Status => ({
  version,
  start_time: startedAt,
  system_name: values.SystemName,
  logo: values.Logo,
  footer_html: values.Footer,
  server_address: values.ServerAddress,
  password_login: values.PasswordLoginEnabled,
  password_register: values.PasswordRegisterEnabled,
  register_enabled: values.RegisterEnabled,
  email_verification: values.EmailVerificationEnabled,
  github_oauth: values.GitHubOAuthEnabled,
  github_client_id: values.GitHubClientId,
  linuxdo_oauth: values.LinuxDOOAuthEnabled,
  linuxdo_client_id: values.LinuxDOClientId,
  telegram_oauth: values.TelegramOAuthEnabled,
  telegram_bot_name: values.TelegramBotName,
  wechat_login: values.WeChatAuthEnabled,
  wechat_qrcode: values.WeChatAccountQRCodeImageURL,
  turnstile_check: values.TurnstileCheckEnabled,
  turnstile_site_key: values.TurnstileSiteKey,
  price: values.Price,
  min_topup: values.MinTopUp,
  top_up_link: values.TopUpLink,
  enable_online_topup: values.PayAddress !== '' && values.EpayId !== '' && values.EpayKey !== '',
  chat_link: values.ChatLink,
  chat_link2: values.ChatLink2,
  chats: [...values.Chats],
  quota_per_unit: values.QuotaPerUnit,
  display_in_currency: values.DisplayInCurrencyEnabled,
  enable_batch_update: false,
  enable_drawing: values.DrawingEnabled,
  enable_task: values.TaskEnabled,
  enable_data_export: values.DataExportEnabled,
  data_export_interval: values.DataExportInterval,
  data_export_default_time: values.DataExportDefaultTime,
  default_collapse_sidebar: values.DefaultCollapseSidebar,
  mj_notify_enabled: values.MjNotifyEnabled,
  demo_site_enabled: values.DemoSiteEnabled,
  device_sign_in: values.DeviceSignInEnabled,
})

export const feature = defineFeature({
  options,
  start: services => ({ routes, plainRoutes: [createSecurityText(services)] }),
})

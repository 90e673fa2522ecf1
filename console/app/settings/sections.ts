import type { OptionKey } from '#contract/options/system-options.ts'

export type OptionSectionId =
  | 'general'
  | 'drawing'
  | 'sensitive'
  | 'logs'
  | 'dashboard'
  | 'monitoring'
  | 'quota'
  | 'responseStore'
  | 'deviceSignIn'
  | 'rateLimit'
  | 'chats'
  | 'groups'
  | 'models'
  | 'server'
  | 'management'
  | 'worker'
  | 'payment'
  | 'signIn'
  | 'emailRules'
  | 'smtp'
  | 'github'
  | 'linuxdo'
  | 'wechat'
  | 'telegram'
  | 'turnstile'

export interface OptionSection {
  readonly id: OptionSectionId
  readonly keys: readonly OptionKey[]
}

export const OPERATION_SECTIONS: readonly OptionSection[] = [
  {
    id: 'general',
    keys: [
      'TopUpLink',
      'ChatLink',
      'ChatLink2',
      'QuotaPerUnit',
      'RetryTimes',
      'DisplayInCurrencyEnabled',
      'DisplayTokenStatEnabled',
      'DefaultCollapseSidebar',
      'DemoSiteEnabled',
    ],
  },
  {
    id: 'drawing',
    keys: [
      'DrawingEnabled',
      'TaskEnabled',
      'MjNotifyEnabled',
      'MjAccountFilterEnabled',
      'MjForwardUrlEnabled',
      'MjModeClearEnabled',
      'MjActionCheckSuccessEnabled',
    ],
  },
  { id: 'sensitive', keys: ['CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled', 'SensitiveWords'] },
  { id: 'logs', keys: ['LogConsumeEnabled'] },
  { id: 'dashboard', keys: ['DataExportEnabled', 'DataExportInterval', 'DataExportDefaultTime'] },
  {
    id: 'monitoring',
    keys: [
      'ChannelDisableThreshold',
      'QuotaRemindThreshold',
      'AutomaticDisableChannelEnabled',
      'AutomaticEnableChannelEnabled',
      'AutomaticDisableKeywords',
      'MarginAlarmRequests',
      'MarginStopEnabled',
    ],
  },
  {
    id: 'quota',
    keys: [
      'QuotaForNewUser',
      'PreConsumedQuota',
      'QuotaForInviter',
      'QuotaForInvitee',
      'DisconnectReadSeconds',
      'DisconnectReadMegabytes',
      'ModelOutputLimit',
    ],
  },
  {
    id: 'responseStore',
    keys: ['ResponseStoreEnabled', 'ResponseStoreDays', 'ResponseStoreMegabytes'],
  },
  {
    id: 'deviceSignIn',
    keys: ['DeviceSignInEnabled', 'DeviceTokenMinutes', 'ClientTelemetryEnabled', 'ClaudeCodeSettings'],
  },
  {
    id: 'rateLimit',
    keys: [
      'ModelRequestRateLimitEnabled',
      'ModelRequestRateLimitDurationMinutes',
      'ModelRequestRateLimitCount',
      'ModelRequestRateLimitSuccessCount',
      'FailedRequestRateLimit',
      'UserConcurrencyLimit',
      'GroupRequestPolicies',
      'RequestTextLimit',
    ],
  },
  { id: 'chats', keys: ['Chats'] },
  { id: 'groups', keys: ['GroupRatio', 'UserUsableGroups', 'TopupGroupRatio'] },
  {
    id: 'models',
    keys: [
      'ModelPrice',
      'ModelRatio',
      'CompletionRatio',
      'CacheRatio',
      'CreateCacheRatio',
      'ModelPriceLists',
      'PriceFeedEnabled',
      'PriceFeedUrl',
    ],
  },
]

export const SYSTEM_SECTIONS: readonly OptionSection[] = [
  { id: 'server', keys: ['ServerAddress'] },
  {
    id: 'management',
    keys: ['CallBudgetPerMinute', 'VisitorCallBudgetPerMinute', 'CallBudgetFactors', 'MetricsOpenEnabled'],
  },
  { id: 'worker', keys: ['WorkerUrl', 'WorkerValidKey'] },
  { id: 'payment', keys: ['PayAddress', 'EpayId', 'EpayKey', 'CustomCallbackAddress', 'Price', 'MinTopUp'] },
  {
    id: 'signIn',
    keys: [
      'PasswordLoginEnabled',
      'PasswordRegisterEnabled',
      'EmailVerificationEnabled',
      'GitHubOAuthEnabled',
      'LinuxDOOAuthEnabled',
      'WeChatAuthEnabled',
      'TelegramOAuthEnabled',
      'TurnstileCheckEnabled',
      'RegisterEnabled',
    ],
  },
  {
    id: 'emailRules',
    keys: ['EmailDomainRestrictionEnabled', 'EmailAliasRestrictionEnabled', 'EmailDomainWhitelist'],
  },
  {
    id: 'smtp',
    keys: ['SMTPServer', 'SMTPPort', 'SMTPAccount', 'SMTPFrom', 'SMTPToken', 'SMTPSSLEnabled'],
  },
  { id: 'github', keys: ['GitHubClientId', 'GitHubClientSecret'] },
  { id: 'linuxdo', keys: ['LinuxDOClientId', 'LinuxDOClientSecret'] },
  { id: 'wechat', keys: ['WeChatServerAddress', 'WeChatServerToken', 'WeChatAccountQRCodeImageURL'] },
  { id: 'telegram', keys: ['TelegramBotToken', 'TelegramBotName'] },
  { id: 'turnstile', keys: ['TurnstileSiteKey', 'TurnstileSecretKey'] },
]

/** Options of the Other tab. Each is saved on its own. */
export const CONTENT_KEYS = [
  'Notice',
  'SystemName',
  'Logo',
  'HomePageContent',
  'About',
  'Footer',
  'UpdateFeedUrl',
] as const satisfies readonly OptionKey[]

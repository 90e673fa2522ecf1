import type { OptionKey } from '#contract/options/system-options.ts'
import { type English, useText } from '../../ui/text/text.ts'
import type { OptionSectionId } from './sections.ts'

/** Label of every option with a field; `…Help` explains it where the label does not. */
const zh = {
  TopUpLink: '充值链接',
  TopUpLinkHelp: '例如发卡网站的购买地址。',
  ChatLink: '默认聊天页面链接',
  ChatLinkHelp: '例如 ChatGPT Next Web 的部署地址。',
  ChatLink2: '聊天页面 2 链接',
  QuotaPerUnit: '单位美元额度',
  QuotaPerUnitHelp: '一美元对应的额度。修改后所有金额的显示都会随之变化，请谨慎操作。',
  RetryTimes: '失败重试次数',
  RetryTimesHelp: '一个渠道失败后，最多再尝试多少个渠道。',
  DisplayInCurrencyEnabled: '以货币形式显示额度',
  DisplayTokenStatEnabled: '额度查询接口返回令牌额度而非用户额度',
  DefaultCollapseSidebar: '默认折叠侧边栏',
  DefaultCollapseSidebarHelp: '用户自己的选择优先。',
  DemoSiteEnabled: '演示站点模式',
  DemoSiteEnabledHelp: '标明本站仅供演示。',

  DrawingEnabled: '启用绘图',
  TaskEnabled: '启用异步任务',
  MjNotifyEnabled: '允许回调',
  MjNotifyEnabledHelp: '会泄露服务器 IP 地址。',
  MjAccountFilterEnabled: '允许 AccountFilter 参数',
  MjForwardUrlEnabled: '通过本站转发图片',
  MjForwardUrlEnabledHelp: '开启后图片地址替换为服务器地址。',
  MjModeClearEnabled: '清除提示词中的模式参数',
  MjModeClearEnabledHelp: '即 --fast、--relax 和 --turbo。',
  MjActionCheckSuccessEnabled: '绘图成功后才能进行后续操作',
  MjActionCheckSuccessEnabledHelp: '例如放大、变换。',

  CheckSensitiveEnabled: '启用屏蔽词过滤',
  CheckSensitiveOnPromptEnabled: '检查提示词',
  SensitiveWords: '屏蔽词列表',
  SensitiveWordsHelp: '一行一个屏蔽词。',

  LogConsumeEnabled: '记录消费日志',
  LogConsumeEnabledHelp: '关闭后不再记录请求日志，账本不受影响。',

  DataExportEnabled: '启用数据看板',
  DataExportInterval: '数据看板更新间隔',
  DataExportIntervalHelp: '最短一分钟。',
  DataExportDefaultTime: '数据看板默认时间粒度',

  ChannelDisableThreshold: '测试所有渠道的最长响应时间',
  ChannelDisableThresholdHelp: '测试时超过此时间的渠道将被自动禁用；0 表示不限制。',
  QuotaRemindThreshold: '额度提醒阈值',
  QuotaRemindThresholdHelp: '低于此额度时将发送提醒；用户可以自行设置。',
  AutomaticDisableChannelEnabled: '失败时自动禁用渠道',
  AutomaticEnableChannelEnabled: '成功时自动启用渠道',
  AutomaticDisableKeywords: '自动禁用关键词',
  AutomaticDisableKeywordsHelp: '一行一个，不区分大小写；失败信息包含其中之一时禁用渠道。',
  MarginAlarmRequests: '低于成本销售的提醒次数',
  MarginAlarmRequestsHelp:
    '渠道连续这么多次以低于成本的价格销售同一模型时提醒超级管理员；0 表示不提醒。仅适用于填写了采购价的渠道。',
  MarginStopEnabled: '禁用低于成本销售的模型',
  MarginStopEnabledHelp:
    '达到上述次数时在该渠道禁用该模型；渠道没有其他模型时禁用渠道。之后只能由管理员重新允许。',

  QuotaForNewUser: '新用户初始额度',
  PreConsumedQuota: '请求预扣 Token 数',
  PreConsumedQuotaHelp:
    '请求未指定输出上限时，余额须至少足够支付此数量的输出；受理后按最长回复预扣额度，请求结束后多退少补。',
  DisconnectReadSeconds: '客户端断开后继续读取的时间',
  DisconnectReadSecondsHelp: '客户端断开后继续读取回复，以取得上游的实际用量；0 表示立即停止，按估算计费。',
  DisconnectReadMegabytes: '客户端断开后继续读取的大小',
  DisconnectReadMegabytesHelp: '流式回复超过此大小后不再读取，按估算计费。',
  ModelOutputLimit: '模型最大输出',
  ModelOutputLimitHelp: 'JSON：模型名称到 Token 数，用于预扣额度；常见模型已内置，其余按 131072 计算。',
  QuotaForInviter: '邀请新用户奖励额度',
  QuotaForInvitee: '新用户使用邀请码奖励额度',

  ResponseStoreEnabled: '存储 Responses 接口的响应',
  ResponseStoreEnabledHelp:
    '供应商不存储响应时由网关加密存储，客户端可凭 ID 继续对话；请求设置 store 为 false 时不存储。',
  ResponseStoreDays: '响应保留时间',
  ResponseStoreDaysHelp: '从最后一次使用起计算。',
  ResponseStoreMegabytes: '每个用户的存储上限',
  ResponseStoreMegabytesHelp: '超出后优先删除最久未使用的响应。',

  DeviceSignInEnabled: '允许程序通过设备码登录',
  DeviceSignInEnabledHelp:
    'Claude Code 等程序显示设备码，用户在控制台确认后获得令牌。请提醒用户只确认自己发起的登录。',
  DeviceTokenMinutes: '程序令牌有效期',
  DeviceTokenMinutesHelp: '程序在使用期间自动续期；超过 30 天未使用时须重新登录。',
  ClaudeCodeSettings: 'Claude Code 托管设置',
  ClaudeCodeSettingsHelp:
    'JSON：分组名称到 Claude Code 的设置，* 适用于其他分组，例如 {"*": {}}。可用模型与遥测设置自动填入。没有对应分组时不下发设置。',
  GroupRequestPolicies: '按分组限制服务层级与上游工具',
  GroupRequestPoliciesHelp:
    'JSON：分组名称到规则，* 适用于其他分组，例如 {"default": {"service_tier": "strip", "server_tools": "forbid"}}。可用的值：allow（允许）、strip（移除后发送）、forbid（拒绝）。渠道和令牌也可设置，以最严格的为准。',
  ClientTelemetryEnabled: '统计客户端上报的用量',
  ClientTelemetryEnabledHelp: '将 Claude Code 上报的 Token 数与费用计入监控指标，不影响计费。',

  ModelRequestRateLimitEnabled: '启用用户模型请求速率限制',
  ModelRequestRateLimitDurationMinutes: '限制周期',
  ModelRequestRateLimitCount: '周期内最多请求次数',
  ModelRequestRateLimitCountHelp: '包括失败的请求；0 表示不限制。',
  ModelRequestRateLimitSuccessCount: '周期内最多成功请求次数',
  FailedRequestRateLimit: '每个用户每分钟最多失败请求次数',
  FailedRequestRateLimitHelp:
    '因请求本身有误而超出时，暂时拒绝该用户的请求；其他原因的失败不再逐条记录。0 表示不限制。',
  UserConcurrencyLimit: '每个用户同时进行的请求上限',
  UserConcurrencyLimitHelp: '所有令牌与操练场合计；0 表示不限制。令牌可另设自己的上限。',
  RequestTextLimit: '请求文本上限',
  RequestTextLimitHelp: '单个请求的 JSON 中文本的大小，图片、音频与文件不计入。',

  Chats: '聊天链接',
  GroupRatio: '分组倍率',
  UserUsableGroups: '用户可选分组',
  TopupGroupRatio: '分组充值倍率',
  TopupGroupRatioHelp: 'JSON：分组名到充值价格倍率。',
  ModelPrice: '模型固定价格',
  ModelPriceHelp: '一次调用多少美元，优先于模型倍率。',
  ModelRatio: '模型倍率',
  ModelRatioHelp: '倍率 1 表示每百万输入 Token 2 美元。',
  CompletionRatio: '模型补全倍率',
  CompletionRatioHelp: '输出相对输入的倍率，仅对自定义模型有效。',
  CacheRatio: '提示缓存倍率',
  CacheRatioHelp: '读取缓存的 Token 相对普通输入的倍率。',
  CreateCacheRatio: '缓存写入倍率',
  CreateCacheRatioHelp: '写入缓存的 Token 相对普通输入的倍率。',
  ModelPriceLists: '自定义价目表',
  ModelPriceListsHelp:
    '以美元计的完整价目，代替内置模型目录；由价格更新写入，含倍率无法表示的分档、服务等级和工具价格。',
  PriceFeedEnabled: '每日读取价格来源',
  PriceFeedEnabledHelp: '每天读取一次，只生成待审批的差异并通知超级管理员，不会自动改价。',
  PriceFeedUrl: '价格来源地址',
  PriceFeedUrlHelp: '支持 LiteLLM、models.dev、OpenRouter 的价格文件或其他网关的 /api/pricing。',

  ServerAddress: '服务器地址',
  ServerAddressHelp: '用于邮件中的链接、第三方登录回调和支付回调，例如 https://example.com。',
  WorkerUrl: 'Worker 地址',
  WorkerUrlHelp: '图片下载和 Webhook 通知经由此 Worker 转发，保护服务器 IP。',
  WorkerValidKey: 'Worker 密钥',

  CallBudgetPerMinute: '每个用户每分钟的调用预算',
  CallBudgetPerMinuteHelp:
    '写操作 1 点，搜索 2 点，统计 4 点，测试渠道 20 点，导出 60 点；可一次用完，之后匀速恢复。',
  VisitorCallBudgetPerMinute: '每个网络中未登录访客每分钟的调用预算',
  VisitorCallBudgetPerMinuteHelp: '同一网络的访客共用，每次调用至少 1 点。',
  CallBudgetFactors: '用户的预算倍数',
  CallBudgetFactorsHelp: 'JSON：用户名到倍数，用于通过访问令牌大量调用管理接口的用户，例如 {"deploy": 10}',
  MetricsOpenEnabled: '无需访问令牌即可读取 /metrics',
  MetricsOpenEnabledHelp: '能连接到本服务的任何人都可以读取用量指标；关闭时需要管理员的访问令牌。',

  PayAddress: '支付地址',
  PayAddressHelp: '易支付接口地址；请先填写服务器地址。',
  EpayId: '易支付商户 ID',
  EpayKey: '易支付商户密钥',
  CustomCallbackAddress: '回调地址',
  CustomCallbackAddressHelp: '留空则使用服务器地址。',
  Price: '充值价格',
  PriceHelp: '一美元额度收取多少元。',
  MinTopUp: '最低充值数量',

  PasswordLoginEnabled: '允许通过密码登录',
  PasswordRegisterEnabled: '允许通过密码注册',
  RegisterEnabled: '允许新用户注册',
  RegisterEnabledHelp: '关闭后新用户将无法以任何方式注册。',
  EmailVerificationEnabled: '通过密码注册时需要验证邮箱',
  GitHubOAuthEnabled: '允许通过 GitHub 账户登录和注册',
  LinuxDOOAuthEnabled: '允许通过 LINUX DO 账户登录和注册',
  WeChatAuthEnabled: '允许通过微信登录和注册',
  TelegramOAuthEnabled: '允许通过 Telegram 登录',
  TurnstileCheckEnabled: '启用 Turnstile 人机验证',

  EmailDomainRestrictionEnabled: '启用邮箱域名白名单',
  EmailAliasRestrictionEnabled: '启用邮箱别名限制',
  EmailAliasRestrictionEnabledHelp: '例如 ab.cd@gmail.com、ab+cd@gmail.com 将被拒绝。',
  EmailDomainWhitelist: '允许的邮箱域名',
  EmailDomainWhitelistHelp: '输入后按回车添加，可以粘贴用逗号分隔的列表。',

  SMTPServer: 'SMTP 服务器地址',
  SMTPPort: 'SMTP 端口',
  SMTPPortHelp: '通常为 587，启用 SSL 时为 465。',
  SMTPAccount: 'SMTP 账户',
  SMTPFrom: 'SMTP 发送者邮箱',
  SMTPFromHelp: '留空则使用账户。',
  SMTPToken: 'SMTP 访问凭证',
  SMTPSSLEnabled: '启用 SMTP SSL',

  GitHubClientId: 'GitHub Client ID',
  GitHubClientSecret: 'GitHub Client Secret',
  LinuxDOClientId: 'LINUX DO Client ID',
  LinuxDOClientSecret: 'LINUX DO Client Secret',
  WeChatServerAddress: 'WeChat Server 服务器地址',
  WeChatServerToken: 'WeChat Server 访问凭证',
  WeChatAccountQRCodeImageURL: '微信公众号二维码图片链接',
  TelegramBotToken: 'Telegram Bot Token',
  TelegramBotName: 'Telegram Bot 名称',
  TurnstileSiteKey: 'Turnstile Site Key',
  TurnstileSecretKey: 'Turnstile Secret Key',

  Notice: '公告',
  SystemName: '系统名称',
  Logo: 'Logo 图片地址',
  HomePageContent: '首页内容',
  About: '关于页面',
  Footer: '页脚',
  UpdateFeedUrl: '更新地址',
}

const en: English<typeof zh> = {
  TopUpLink: 'Top-up link',
  TopUpLinkHelp: 'Where users can buy redemption codes.',
  ChatLink: 'Default chat page',
  ChatLinkHelp: 'For example the URL of your ChatGPT Next Web.',
  ChatLink2: 'Second chat page',
  QuotaPerUnit: 'Quota per dollar',
  QuotaPerUnitHelp: 'Units of quota that equal one dollar. Changing this changes every displayed amount.',
  RetryTimes: 'Retries',
  RetryTimesHelp: 'How many more channels are tried after one fails.',
  DisplayInCurrencyEnabled: 'Show amounts in dollars',
  DisplayTokenStatEnabled: 'Balance queries return the quota of the token instead of the balance of the user',
  DefaultCollapseSidebar: 'Sidebar starts collapsed',
  DefaultCollapseSidebarHelp: 'Users can override it.',
  DemoSiteEnabled: 'Demo site',
  DemoSiteEnabledHelp: 'Marks this installation as a demo.',

  DrawingEnabled: 'Drawing',
  TaskEnabled: 'Asynchronous tasks',
  MjNotifyEnabled: 'Allow callbacks',
  MjNotifyEnabledHelp: 'Exposes the IP address of the server.',
  MjAccountFilterEnabled: 'Allow the AccountFilter parameter',
  MjForwardUrlEnabled: 'Proxy images through this site',
  MjForwardUrlEnabledHelp: 'Image URLs are replaced with URLs of this server.',
  MjModeClearEnabled: 'Remove mode parameters from prompts',
  MjModeClearEnabledHelp: 'Removes --fast, --relax and --turbo.',
  MjActionCheckSuccessEnabled: 'Follow-up actions require a finished image',
  MjActionCheckSuccessEnabledHelp: 'For example upscale and variation.',

  CheckSensitiveEnabled: 'Filter sensitive words',
  CheckSensitiveOnPromptEnabled: 'Check prompts',
  SensitiveWords: 'Sensitive words',
  SensitiveWordsHelp: 'One word per line.',

  LogConsumeEnabled: 'Log requests',
  LogConsumeEnabledHelp: 'When turned off, requests leave no log entry. The ledger is not affected.',

  DataExportEnabled: 'Dashboard',
  DataExportInterval: 'Refresh interval',
  DataExportIntervalHelp: 'At least one minute.',
  DataExportDefaultTime: 'Default granularity',

  ChannelDisableThreshold: 'Maximum response time when testing all channels',
  ChannelDisableThresholdHelp:
    'Channels that respond more slowly are disabled automatically. 0 means no limit.',
  QuotaRemindThreshold: 'Low-balance threshold',
  QuotaRemindThresholdHelp: 'Users are notified below this amount. They can set their own threshold.',
  AutomaticDisableChannelEnabled: 'Disable failing channels automatically',
  AutomaticEnableChannelEnabled: 'Enable recovered channels automatically',
  AutomaticDisableKeywords: 'Keywords for automatic disabling',
  AutomaticDisableKeywordsHelp:
    'One keyword per line, case-insensitive. A channel is disabled when its error contains one of them.',
  MarginAlarmRequests: 'Alarm after requests below cost',
  MarginAlarmRequestsHelp:
    'The super administrator is notified when a channel sells a model below cost this many times in a row; 0: never. Applies to channels with a purchase price.',
  MarginStopEnabled: 'Stop models that sell below cost',
  MarginStopEnabledHelp:
    'After that many requests, on that channel; a channel without other models is disabled. Only an administrator can allow them again.',

  QuotaForNewUser: 'Balance of a new user',
  PreConsumedQuota: 'Tokens held for a request',
  PreConsumedQuotaHelp:
    'The balance must cover at least this many output tokens when a request sets no output limit. The longest possible response is then held, and the difference is settled afterwards.',
  DisconnectReadSeconds: 'Time to keep reading after a disconnect',
  DisconnectReadSecondsHelp:
    'After a client disconnects, its response is read on for the usage that providers report at the end. 0 stops immediately and charges an estimate.',
  DisconnectReadMegabytes: 'Size to keep reading after a disconnect',
  DisconnectReadMegabytesHelp: 'A stream beyond this size is not read on, and an estimate is charged.',
  ModelOutputLimit: 'Maximum output of models',
  ModelOutputLimitHelp:
    'JSON: model name to tokens, used for holds. Common models are built in. Others count as 131072.',
  QuotaForInviter: 'Reward for the inviter',
  QuotaForInvitee: 'Reward for the invited user',

  ResponseStoreEnabled: 'Store responses of the Responses API',
  ResponseStoreEnabledHelp:
    'Where the provider stores none, the gateway does, encrypted, so that clients continue conversations by ID. Requests with store: false are not stored.',
  ResponseStoreDays: 'Time to keep responses',
  ResponseStoreDaysHelp: 'Since their last use.',
  ResponseStoreMegabytes: 'Storage limit per user',
  ResponseStoreMegabytesHelp: 'Beyond it, the responses that were not used for the longest time are deleted.',

  DeviceSignInEnabled: 'Let programs sign in by device code',
  DeviceSignInEnabledHelp:
    'Claude Code and other programs show a code and get a token once their user confirms it in the console. Tell your users to confirm only sign-ins that they have started.',
  DeviceTokenMinutes: 'Lifetime of the token of a program',
  DeviceTokenMinutesHelp:
    'Programs renew their token while they are used. After 30 days without use they sign in again.',
  ClaudeCodeSettings: 'Managed settings of Claude Code',
  ClaudeCodeSettingsHelp:
    'JSON: group to settings of Claude Code, * for all other groups, such as {"*": {}}. Available models and telemetry are filled in. Groups without an entry get no settings.',
  GroupRequestPolicies: 'Service tiers and server tools by group',
  GroupRequestPoliciesHelp:
    'JSON from groups to rules, * for all other groups, such as {"default": {"service_tier": "strip", "server_tools": "forbid"}}. Values: allow, strip (send without) and forbid. Channels and tokens have rules too; the strictest counts.',
  ClientTelemetryEnabled: 'Count the usage that clients report',
  ClientTelemetryEnabledHelp:
    'Adds the tokens and costs that Claude Code reports to the metrics. They charge nobody.',

  ModelRequestRateLimitEnabled: 'Limit the model request rate of users',
  ModelRequestRateLimitDurationMinutes: 'Window',
  ModelRequestRateLimitCount: 'Maximum requests per window',
  ModelRequestRateLimitCountHelp: 'Includes failed requests. 0 means no limit.',
  ModelRequestRateLimitSuccessCount: 'Maximum successful requests per window',
  FailedRequestRateLimit: 'Failed requests per user per minute',
  FailedRequestRateLimitHelp:
    'Beyond this limit, users whose own requests are invalid are rejected for a while, and other failures are no longer logged one by one. 0 means no limit.',
  UserConcurrencyLimit: 'Concurrent requests per user',
  UserConcurrencyLimitHelp:
    'Across all tokens and the playground. 0 means no limit. Tokens can have their own limit.',
  RequestTextLimit: 'Maximum text per request',
  RequestTextLimitHelp: 'Size of the text in the JSON of one request. Images, audio and files do not count.',

  Chats: 'Chat links',
  GroupRatio: 'Group ratios',
  UserUsableGroups: 'Groups that users can choose',
  TopupGroupRatio: 'Top-up ratios of groups',
  TopupGroupRatioHelp: 'JSON: group name to the multiplier of the top-up price.',
  ModelPrice: 'Fixed model prices',
  ModelPriceHelp: 'Dollars per call. Takes precedence over the ratios.',
  ModelRatio: 'Model ratios',
  ModelRatioHelp: 'A ratio of 1 is $2 per million input tokens.',
  CompletionRatio: 'Completion ratios',
  CompletionRatioHelp: 'Output relative to input. Applies to models without a built-in ratio.',
  CacheRatio: 'Cache ratios',
  CacheRatioHelp: 'Tokens read from the cache relative to regular input.',
  CreateCacheRatio: 'Cache write ratios',
  CreateCacheRatioHelp: 'Tokens written to the cache relative to regular input.',
  ModelPriceLists: 'Own price lists',
  ModelPriceListsHelp:
    'Full prices in dollars, in place of the built-in catalogue. Price updates write them, with the tiers and tool prices that no ratio expresses.',
  PriceFeedEnabled: 'Read the price feed daily',
  PriceFeedEnabledHelp:
    'Once a day. Only proposes differences and notifies the super administrator; no price changes by itself.',
  PriceFeedUrl: 'Price feed address',
  PriceFeedUrlHelp: 'Prices of LiteLLM, models.dev or OpenRouter, or the /api/pricing of another gateway.',

  ServerAddress: 'Server address',
  ServerAddressHelp:
    'Used in email links, sign-in callbacks and payment callbacks, for example https://example.com.',
  WorkerUrl: 'Worker URL',
  WorkerUrlHelp: 'Forwards image downloads and webhook notifications, to hide the IP address of the server.',
  WorkerValidKey: 'Worker key',

  CallBudgetPerMinute: 'Call budget per user per minute',
  CallBudgetPerMinuteHelp:
    'A write costs 1 point, a search 2, statistics 4, a channel test 20 and an export 60. All points can be spent at once, and they refill evenly.',
  VisitorCallBudgetPerMinute: 'Call budget of visitors per network per minute',
  VisitorCallBudgetPerMinuteHelp:
    'Shared by all visitors from the same network. Each call costs at least 1 point.',
  CallBudgetFactors: 'Budget factors of users',
  CallBudgetFactorsHelp:
    'JSON: username to factor, for users whose access token makes many management calls, for example {"deploy": 10}',
  MetricsOpenEnabled: 'Allow reading /metrics without an access token',
  MetricsOpenEnabledHelp:
    "Anyone who can connect to this server can read the metrics. When turned off, an administrator's access token is required.",

  PayAddress: 'Payment URL',
  PayAddressHelp: 'URL of an EasyPay provider. Set the server address first.',
  EpayId: 'EasyPay merchant ID',
  EpayKey: 'EasyPay merchant key',
  CustomCallbackAddress: 'Callback URL',
  CustomCallbackAddressHelp: 'Leave empty to use the server address.',
  Price: 'Top-up price',
  PriceHelp: 'Amount charged for one dollar of balance.',
  MinTopUp: 'Minimum top-up',

  PasswordLoginEnabled: 'Sign in with a password',
  PasswordRegisterEnabled: 'Sign up with a password',
  RegisterEnabled: 'Allow new users to sign up',
  RegisterEnabledHelp: 'When turned off, nobody can sign up in any way.',
  EmailVerificationEnabled: 'Verify the email address for sign-up with a password',
  GitHubOAuthEnabled: 'Sign in with GitHub',
  LinuxDOOAuthEnabled: 'Sign in with LINUX DO',
  WeChatAuthEnabled: 'Sign in with WeChat',
  TelegramOAuthEnabled: 'Sign in with Telegram',
  TurnstileCheckEnabled: 'Turnstile human check',

  EmailDomainRestrictionEnabled: 'Restrict email domains',
  EmailAliasRestrictionEnabled: 'Reject email aliases',
  EmailAliasRestrictionEnabledHelp: 'Rejects, for example, ab.cd@gmail.com and ab+cd@gmail.com.',
  EmailDomainWhitelist: 'Allowed email domains',
  EmailDomainWhitelistHelp: 'Press Enter to add a domain, or paste a comma-separated list.',

  SMTPServer: 'SMTP server',
  SMTPPort: 'SMTP port',
  SMTPPortHelp: 'Usually 587, or 465 with SSL.',
  SMTPAccount: 'SMTP account',
  SMTPFrom: 'Sender address',
  SMTPFromHelp: 'Leave empty to use the account.',
  SMTPToken: 'SMTP password',
  SMTPSSLEnabled: 'SMTP over SSL',

  GitHubClientId: 'GitHub client ID',
  GitHubClientSecret: 'GitHub client secret',
  LinuxDOClientId: 'LINUX DO client ID',
  LinuxDOClientSecret: 'LINUX DO client secret',
  WeChatServerAddress: 'WeChat Server address',
  WeChatServerToken: 'WeChat Server token',
  WeChatAccountQRCodeImageURL: 'QR code image URL',
  TelegramBotToken: 'Telegram bot token',
  TelegramBotName: 'Telegram bot name',
  TurnstileSiteKey: 'Turnstile site key',
  TurnstileSecretKey: 'Turnstile secret key',

  Notice: 'Announcement',
  SystemName: 'System name',
  Logo: 'Logo URL',
  HomePageContent: 'Home page',
  About: 'About page',
  Footer: 'Footer',
  UpdateFeedUrl: 'Release feed URL',
}

export const optionText = { zh, en }
export type OptionTextKey = keyof typeof zh
export const isOptionTextKey = (word: string): word is OptionTextKey => Object.hasOwn(zh, word)

const sectionZh = {
  general: '通用设置',
  drawing: '绘图与任务',
  sensitive: '屏蔽词过滤',
  logs: '日志',
  dashboard: '数据看板',
  monitoring: '监控',
  quota: '额度',
  responseStore: '响应存储',
  deviceSignIn: '程序登录与 Claude Code',
  rateLimit: '速率限制',
  chats: '聊天',
  groups: '分组',
  models: '模型价格',
  server: '服务器',
  management: '管理接口',
  worker: '代理',
  payment: '支付',
  signIn: '登录与注册',
  emailRules: '邮箱限制',
  smtp: 'SMTP',
  github: 'GitHub',
  linuxdo: 'LINUX DO',
  wechat: '微信',
  telegram: 'Telegram',
  turnstile: 'Turnstile',
} satisfies Record<OptionSectionId, string>

const sectionEn: English<typeof sectionZh> = {
  general: 'General',
  drawing: 'Drawing and tasks',
  sensitive: 'Sensitive words',
  logs: 'Log',
  dashboard: 'Dashboard',
  monitoring: 'Monitoring',
  quota: 'Quota',
  responseStore: 'Stored responses',
  deviceSignIn: 'Program sign-in and Claude Code',
  rateLimit: 'Rate limit',
  chats: 'Chat',
  groups: 'Groups',
  models: 'Model prices',
  server: 'Server',
  management: 'Management API',
  worker: 'Worker',
  payment: 'Payment',
  signIn: 'Sign-in and sign-up',
  emailRules: 'Email rules',
  smtp: 'SMTP',
  github: 'GitHub',
  linuxdo: 'LINUX DO',
  wechat: 'WeChat',
  telegram: 'Telegram',
  turnstile: 'Turnstile',
}

export const sectionText = { zh: sectionZh, en: sectionEn }
export const useSectionText = () => useText(sectionText)

interface OptionLabel {
  readonly label: string
  readonly help: string | undefined
}

/** Label and help of an option in the current language. */
export function useOptionText(): (key: OptionKey) => OptionLabel {
  const t = useText(optionText)
  return key => {
    const help = `${key}Help`
    return { label: isOptionTextKey(key) ? t(key) : key, help: isOptionTextKey(help) ? t(help) : undefined }
  }
}

import { address, decimal, figures, flag, inSection, integer, secret, text, UNITS } from './define-option.ts'
import { SECTIONS } from './sections.ts'

export const integrationOptions = {
  ...inSection(SECTIONS.server, {
    ServerAddress: address('', {
      label: { zh: '服务器地址', en: 'Server address' },
      needs: 'recent-sign-in',
      help: {
        zh: '用于邮件中的链接、第三方登录回调和支付回调，例如 https://example.com。',
        en: 'Used in email links, sign-in callbacks and payment callbacks, for example https://example.com.',
      },
    }),
  }),
  ...inSection(SECTIONS.management, {
    CallBudgetPerMinute: integer(600, [60, 1_000_000], {
      label: { zh: '每个用户每分钟的调用预算', en: 'Call budget per user per minute' },
      help: {
        zh: '写操作 2 点，搜索和统计 4 点，测试渠道 20 点，导出 60 点；可一次用完，之后匀速恢复。管理员有五倍的点数。',
        en: 'A write costs 2 points, a search or statistics 4, a channel test 20 and an export 60. All points can be spent at once, and they refill evenly. Administrators have five times as many.',
      },
      unit: UNITS.points,
    }),
    VisitorCallBudgetPerMinute: integer(600, [60, 1_000_000], {
      label: {
        zh: '每个网络中未登录访客每分钟的调用预算',
        en: 'Call budget of visitors per network per minute',
      },
      help: {
        zh: '同一网络的访客共用，每次调用至少 1 点。',
        en: 'Shared by all visitors from the same network. Each call costs at least 1 point.',
      },
      unit: UNITS.points,
    }),
    CallBudgetFactors: figures(
      {},
      {
        label: { zh: '用户的预算倍数', en: 'Budget factors of users' },
        help: {
          zh: 'JSON：用户名到倍数，用于通过访问令牌大量调用管理接口的用户，例如 {"deploy": 10}',
          en: 'JSON: username to factor, for users whose access token makes many management calls, for example {"deploy": 10}',
        },
      },
    ),
    MetricsOpenEnabled: flag(false, {
      label: { zh: '无需访问令牌即可读取 /metrics', en: 'Allow reading /metrics without an access token' },
      help: {
        zh: '能连接到本服务的任何人都可以读取用量指标；关闭时需要管理员的访问令牌。',
        en: "Anyone who can connect to this server can read the metrics. When turned off, an administrator's access token is required.",
      },
    }),
  }),
  ...inSection(SECTIONS.worker, {
    WorkerUrl: address('', {
      label: { zh: 'Worker 地址', en: 'Worker URL' },
      help: {
        zh: '图片下载和 Webhook 通知经由此 Worker 转发，保护服务器 IP。地址的域名仍由网关先行解析，以拒绝内网地址。',
        en: 'Forwards image downloads and webhook notifications, to hide the IP address of the server. The gateway itself still resolves their names first, to reject private addresses.',
      },
    }),
    WorkerValidKey: secret({ label: { zh: 'Worker 密钥', en: 'Worker key' } }),
  }),
  ...inSection(SECTIONS.payment, {
    PayAddress: address('', {
      label: { zh: '支付地址', en: 'Payment URL' },
      help: {
        zh: '易支付接口地址；请先填写服务器地址。',
        en: 'URL of an EasyPay provider. Set the server address first.',
      },
    }),
    EpayId: text('', { label: { zh: '易支付商户 ID', en: 'EasyPay merchant ID' } }),
    EpayKey: secret({ label: { zh: '易支付商户密钥', en: 'EasyPay merchant key' } }),
    CustomCallbackAddress: address('', {
      label: { zh: '回调地址', en: 'Callback URL' },
      help: { zh: '留空则使用服务器地址。', en: 'Leave empty to use the server address.' },
    }),
    Price: decimal(7.3, [0, 1_000_000], {
      label: { zh: '充值价格', en: 'Top-up price' },
      help: { zh: '一美元额度收取多少元。', en: 'Amount charged for one dollar of balance.' },
      unit: UNITS.yuanPerDollar,
    }),
    MinTopUp: integer(1, [1, 1_000_000], {
      label: { zh: '最低充值数量', en: 'Minimum top-up' },
      unit: UNITS.dollars,
    }),
  }),
  ...inSection(SECTIONS.smtp, {
    SMTPServer: text('', {
      label: { zh: 'SMTP 服务器地址', en: 'SMTP server' },
      needs: 'recent-sign-in',
    }),
    SMTPPort: integer(587, [1, 65_535], {
      label: { zh: 'SMTP 端口', en: 'SMTP port' },
      help: { zh: '通常为 587，启用 SSL 时为 465。', en: 'Usually 587, or 465 with SSL.' },
    }),
    SMTPAccount: text('', { label: { zh: 'SMTP 账户', en: 'SMTP account' } }),
    SMTPFrom: text('', {
      label: { zh: 'SMTP 发送者邮箱', en: 'Sender address' },
      help: { zh: '留空则使用账户。', en: 'Leave empty to use the account.' },
    }),
    SMTPToken: secret({ label: { zh: 'SMTP 访问凭证', en: 'SMTP password' } }),
    SMTPSSLEnabled: flag(false, { label: { zh: '启用 SMTP SSL', en: 'SMTP over SSL' } }),
  }),
}

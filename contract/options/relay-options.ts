import {
  decimal,
  figures,
  flag,
  inSection,
  integer,
  lines,
  oneOf,
  quota,
  requestPolicies,
  UNITS,
} from './define-option.ts'
import { SECTIONS } from './sections.ts'

const REVOKED_KEY_PHRASES = [
  'Your credit balance is too low',
  'This organization has been disabled.',
  'You exceeded your current quota',
  'Permission denied',
  'The security token included in the request is invalid',
  'Operation not allowed',
  'Your account is not authorized',
].join('\n')

export const relayOptions = {
  ...inSection(SECTIONS.monitoring, {
    ChannelDisableThreshold: decimal(5, [0, 86_400], {
      label: { zh: '测试所有渠道的最长响应时间', en: 'Maximum response time when testing all channels' },
      help: {
        zh: '测试时超过此时间的渠道将被自动禁用；0 表示不限制。',
        en: 'Channels that respond more slowly are disabled automatically. 0 means no limit.',
      },
      unit: UNITS.seconds,
    }),
    QuotaRemindThreshold: quota(1000, {
      label: { zh: '额度提醒阈值', en: 'Low-balance threshold' },
      help: {
        zh: '低于此额度时将发送提醒；用户可以自行设置。',
        en: 'Users are notified below this amount. They can set their own threshold.',
      },
    }),
    AutomaticDisableChannelEnabled: flag(false, {
      label: { zh: '失败时自动禁用渠道', en: 'Disable failing channels automatically' },
    }),
    AutomaticEnableChannelEnabled: flag(false, {
      label: { zh: '成功时自动启用渠道', en: 'Enable recovered channels automatically' },
    }),
    AutomaticDisableKeywords: lines(REVOKED_KEY_PHRASES, {
      label: { zh: '自动禁用关键词', en: 'Keywords for automatic disabling' },
      help: {
        zh: '一行一个，不区分大小写；失败信息包含其中之一时禁用渠道。',
        en: 'One keyword per line, case-insensitive. A channel is disabled when its error contains one of them.',
      },
    }),
  }),
  ...inSection(SECTIONS.quota, {
    QuotaForNewUser: quota(0, { label: { zh: '新用户初始额度', en: 'Balance of a new user' } }),
    PreConsumedQuota: integer(500, [0, 10_000_000], {
      label: { zh: '请求预扣 Token 数', en: 'Tokens held for a request' },
      help: {
        zh: '请求未指定输出上限时，余额须至少足够支付此数量的输出；受理后按最长回复预扣额度，请求结束后多退少补。',
        en: 'The balance must cover at least this many output tokens when a request sets no output limit. The longest possible response is then held, and the difference is settled afterwards.',
      },
      unit: UNITS.tokens,
    }),
    QuotaForInviter: quota(0, { label: { zh: '邀请新用户奖励额度', en: 'Reward for the inviter' } }),
    QuotaForInvitee: quota(0, {
      label: { zh: '新用户使用邀请码奖励额度', en: 'Reward for the invited user' },
    }),
    KeepAliveSeconds: integer(10, [0, 600], {
      label: { zh: '流式回复的保活间隔', en: 'Keep-alive interval of streams' },
      help: {
        zh: '流式回复静默超过此时间后，向客户端发送 ping 或注释，以免途中的代理断开连接；0 表示不发送。渠道可另行设置 keep_alive_seconds。',
        en: 'The client of a stream that is quiet for longer receives a ping or a comment, so that no proxy on the way closes the connection. 0 sends none. Channels can set their own keep_alive_seconds.',
      },
      unit: UNITS.seconds,
    }),
    DisconnectReadSeconds: integer(30, [0, 600], {
      label: { zh: '客户端断开后继续读取的时间', en: 'Time to keep reading after a disconnect' },
      help: {
        zh: '客户端断开后继续读取回复，以取得上游的实际用量；0 表示立即停止，按估算计费。',
        en: 'After a client disconnects, its response is read on for the usage that providers report at the end. 0 stops immediately and charges an estimate.',
      },
      unit: UNITS.seconds,
    }),
    DisconnectReadMegabytes: integer(4, [0, 1024], {
      label: { zh: '客户端断开后继续读取的大小', en: 'Size to keep reading after a disconnect' },
      help: {
        zh: '流式回复超过此大小后不再读取，按估算计费。',
        en: 'A stream beyond this size is not read on, and an estimate is charged.',
      },
      unit: UNITS.mebibytes,
    }),
    ModelOutputLimit: figures(
      {},
      {
        label: { zh: '模型最大输出', en: 'Maximum output of models' },
        help: {
          zh: 'JSON：模型名称到 Token 数，用于预扣额度；常见模型已内置，其余按 131072 计算。',
          en: 'JSON: model name to tokens, used for holds. Common models are built in. Others count as 131072.',
        },
      },
    ),
  }),
  ...inSection(SECTIONS.deviceSignIn, {
    DeviceSignInEnabled: flag(false, {
      label: { zh: '允许程序通过设备码登录', en: 'Let programs sign in by device code' },
      help: {
        zh: 'Claude Code 等程序显示设备码，用户在控制台确认后获得令牌。请提醒用户只确认自己发起的登录。',
        en: 'Claude Code and other programs show a code and get a token once their user confirms it in the console. Tell your users to confirm only sign-ins that they have started.',
      },
    }),
  }),
  ...inSection(SECTIONS.rateLimit, {
    ModelRequestRateLimitEnabled: flag(false, {
      label: { zh: '启用用户模型请求速率限制', en: 'Limit the model request rate of users' },
    }),
    ModelRequestRateLimitDurationMinutes: integer(1, [1, 1440], {
      label: { zh: '限制周期', en: 'Window' },
      unit: UNITS.minutes,
    }),
    ModelRequestRateLimitCount: integer(0, [0, 1_000_000], {
      label: { zh: '周期内最多请求次数', en: 'Maximum requests per window' },
      help: { zh: '包括失败的请求；0 表示不限制。', en: 'Includes failed requests. 0 means no limit.' },
      unit: UNITS.times,
    }),
    ModelRequestRateLimitSuccessCount: integer(1000, [1, 1_000_000], {
      label: { zh: '周期内最多成功请求次数', en: 'Maximum successful requests per window' },
      unit: UNITS.times,
    }),
    FailedRequestRateLimit: integer(120, [0, 1_000_000], {
      label: { zh: '每个令牌每分钟最多失败请求次数', en: 'Failed requests per token per minute' },
      help: {
        zh: '因请求本身有误而超出时，暂时拒绝该令牌的请求；其他原因的失败不再逐条记录。用户的所有令牌合计最多为 4 倍。0 表示不限制。',
        en: 'Beyond this limit, a token whose own requests are invalid is rejected for a while, and other failures are no longer logged one by one. All tokens of a user have four times as many. 0 means no limit.',
      },
      unit: UNITS.times,
    }),
    UserConcurrencyLimit: integer(0, [0, 1_000_000], {
      label: { zh: '每个用户同时进行的请求上限', en: 'Concurrent requests per user' },
      help: {
        zh: '所有令牌与操练场合计；0 表示不限制。令牌可另设自己的上限。',
        en: 'Across all tokens and the playground. 0 means no limit. Tokens can have their own limit.',
      },
      unit: UNITS.requests,
    }),
    GroupRequestPolicies: requestPolicies({
      label: { zh: '按分组限制服务层级与上游工具', en: 'Service tiers and server tools by group' },
      help: {
        zh: 'JSON：分组名称到规则，* 适用于其他分组，例如 {"default": {"service_tier": "strip", "server_tools": "forbid"}}。可用的值：allow（允许）、strip（移除后发送）、forbid（拒绝）。渠道和令牌也可设置，以最严格的为准。',
        en: 'JSON from groups to rules, * for all other groups, such as {"default": {"service_tier": "strip", "server_tools": "forbid"}}. Values: allow, strip (send without) and forbid. Channels and tokens have rules too; the strictest counts.',
      },
    }),
    ResponseModelName: oneOf(
      {
        requested: { zh: '请求的名称', en: 'As requested' },
        provider: { zh: '供应商的名称', en: "The provider's" },
      },
      'requested',
      {
        label: { zh: '响应中的模型名称', en: 'Model name in responses' },
        help: {
          zh: '仅当渠道的模型映射改变名称时有区别。',
          en: 'Matters where the model mapping of a channel changes the name.',
        },
      },
    ),
    UnknownAccountIds: oneOf(
      {
        nobody: { zh: '无人', en: 'Nobody' },
        administrators: { zh: '管理员', en: 'Administrators' },
        everyone: { zh: '所有人', en: 'Everyone' },
      },
      'administrators',
      {
        label: { zh: '可使用未知上游 ID 的用户', en: 'Who may use unknown IDs of providers' },
        help: {
          zh: '容器、文件、向量库、缓存、提示词等属于供应商账户的 ID。由某个用户的请求创建的只归该用户使用；其他 ID 可能属于任何人。',
          en: "IDs of containers, files, vector stores, caches and prompts of a provider's account. What a request made is for its user alone; other IDs may be anybody's.",
        },
      },
    ),
    RequestTextLimit: integer(8, [1, 64], {
      label: { zh: '请求文本上限', en: 'Maximum text per request' },
      help: {
        zh: '单个请求的 JSON 中文本的大小，图片、音频与文件不计入。',
        en: 'Size of the text in the JSON of one request. Images, audio and files do not count.',
      },
      unit: UNITS.mebibytes,
    }),
  }),
}

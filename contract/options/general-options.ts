import prices from './default-prices.json'
import {
  decimal,
  flag,
  inSection,
  integer,
  link,
  namedLinks,
  oneOf,
  timeZone,
  UNITS,
} from './define-option.ts'
import { SECTIONS } from './sections.ts'

export const generalOptions = {
  ...inSection(SECTIONS.general, {
    TopUpLink: link('', {
      label: { zh: '充值链接', en: 'Top-up link' },
      help: { zh: '例如发卡网站的购买地址。', en: 'Where users can buy redemption codes.' },
    }),
    ChatLink: link('', {
      label: { zh: '默认聊天页面链接', en: 'Default chat page' },
      help: { zh: '例如 ChatGPT Next Web 的部署地址。', en: 'For example the URL of your ChatGPT Next Web.' },
    }),
    ChatLink2: link('', { label: { zh: '聊天页面 2 链接', en: 'Second chat page' } }),
    QuotaPerUnit: decimal(500_000, [1, 1_000_000_000], {
      needs: 'recent-session',
      label: { zh: '单位美元额度', en: 'Quota per dollar' },
      help: {
        zh: '一美元对应的额度。修改后所有金额的显示都会随之变化，请谨慎操作。',
        en: 'Units of quota that equal one dollar. Changing this changes every displayed amount.',
      },
    }),
    RetryTimes: integer(0, [0, 10], {
      label: { zh: '失败重试次数', en: 'Retries' },
      help: {
        zh: '一个渠道失败后，最多再尝试多少个渠道。',
        en: 'How many more channels are tried after one fails.',
      },
      unit: UNITS.times,
    }),
    ReportingTimeZone: timeZone({
      label: { zh: '报表时区', en: 'Reporting time zone' },
      help: {
        zh: '查询未指定时区时，统计、日志图表和账单按该时区划分日期，例如 Asia/Shanghai。留空为 UTC；控制台使用浏览器的时区。',
        en: 'Where days of analytics, log charts and statements begin for calls that name no zone, for example Europe/Berlin. Empty: UTC. The console uses the zone of the browser.',
      },
    }),
    DisplayInCurrencyEnabled: flag(true, {
      label: { zh: '以货币形式显示额度', en: 'Show amounts in dollars' },
    }),
    DisplayTokenStatEnabled: flag(true, {
      label: {
        zh: '额度查询接口返回令牌额度而非用户额度',
        en: 'Balance queries return the quota of the token instead of the balance of the user',
      },
    }),
    DefaultCollapseSidebar: flag(false, {
      label: { zh: '默认折叠侧边栏', en: 'Sidebar starts collapsed' },
      help: { zh: '用户自己的选择优先。', en: 'Users can override it.' },
    }),
    DemoSiteEnabled: flag(false, {
      label: { zh: '演示站点模式', en: 'Demo site' },
      help: { zh: '标明本站仅供演示。', en: 'Marks this installation as a demo.' },
    }),
  }),
  ...inSection(SECTIONS.drawing, {
    DrawingEnabled: flag(true, { label: { zh: '启用绘图', en: 'Drawing' } }),
    TaskEnabled: flag(true, { label: { zh: '启用异步任务', en: 'Asynchronous tasks' } }),
    MjNotifyEnabled: flag(false, {
      label: { zh: '允许回调', en: 'Allow callbacks' },
      help: { zh: '会泄露服务器 IP 地址。', en: 'Exposes the IP address of the server.' },
    }),
    MjAccountFilterEnabled: flag(false, {
      label: { zh: '允许 AccountFilter 参数', en: 'Allow the AccountFilter parameter' },
    }),
    MjForwardUrlEnabled: flag(true, {
      label: { zh: '通过本站转发图片', en: 'Proxy images through this site' },
      help: {
        zh: '开启后图片地址替换为服务器地址。',
        en: 'Image URLs are replaced with URLs of this server.',
      },
    }),
    MjModeClearEnabled: flag(false, {
      label: { zh: '清除提示词中的模式参数', en: 'Remove mode parameters from prompts' },
      help: { zh: '即 --fast、--relax 和 --turbo。', en: 'Removes --fast, --relax and --turbo.' },
    }),
    MjActionCheckSuccessEnabled: flag(true, {
      label: { zh: '绘图成功后才能进行后续操作', en: 'Follow-up actions require a finished image' },
      help: { zh: '例如放大、变换。', en: 'For example upscale and variation.' },
    }),
  }),
  ...inSection(SECTIONS.logs, {
    LogConsumeEnabled: flag(true, {
      label: { zh: '记录消费日志', en: 'Log requests' },
      help: {
        zh: '关闭后不再记录请求日志，账本不受影响。',
        en: 'When turned off, requests leave no log entry. The ledger is not affected.',
      },
    }),
  }),
  ...inSection(SECTIONS.dashboard, {
    DataExportEnabled: flag(true, { label: { zh: '启用数据看板', en: 'Dashboard' } }),
    DataExportInterval: integer(5, [1, 1440], {
      label: { zh: '数据看板更新间隔', en: 'Refresh interval' },
      help: { zh: '最短一分钟。', en: 'At least one minute.' },
      unit: UNITS.minutes,
    }),
    DataExportDefaultTime: oneOf(
      { hour: { zh: '小时', en: 'Hour' }, day: { zh: '天', en: 'Day' }, week: { zh: '周', en: 'Week' } },
      'hour',
      { label: { zh: '数据看板默认时间粒度', en: 'Default granularity' } },
    ),
  }),
  ...inSection(SECTIONS.chats, {
    Chats: namedLinks(prices.chats, { label: { zh: '聊天链接', en: 'Chat links' } }),
  }),
}

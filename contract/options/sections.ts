import type { OptionSection } from './define-option.ts'

/** Prices, payment and sign-in: where a stolen session would do most harm. */
const needs = 'recent-session'

/** The sections of the settings that have options of the base. A feature may fill them, or declare its own beside its options. */
export const SECTIONS = {
  general: {
    id: 'general',
    tab: 'operation',
    order: 10,
    title: { zh: '通用设置', en: 'General' },
    help: { zh: '链接、显示方式和重试。', en: 'Links, display and retries.' },
  },
  drawing: {
    id: 'drawing',
    tab: 'operation',
    order: 20,
    title: { zh: '绘图与任务', en: 'Drawing and tasks' },
  },
  logs: { id: 'logs', tab: 'operation', order: 40, title: { zh: '日志', en: 'Log' } },
  dashboard: { id: 'dashboard', tab: 'operation', order: 50, title: { zh: '数据看板', en: 'Dashboard' } },
  monitoring: { id: 'monitoring', tab: 'operation', order: 60, title: { zh: '监控', en: 'Monitoring' } },
  quota: { id: 'quota', tab: 'operation', order: 70, title: { zh: '额度', en: 'Quota' } },
  deviceSignIn: {
    id: 'deviceSignIn',
    tab: 'operation',
    order: 90,
    needs,
    title: { zh: '程序登录与 Claude Code', en: 'Program sign-in and Claude Code' },
  },
  rateLimit: { id: 'rateLimit', tab: 'operation', order: 100, title: { zh: '速率限制', en: 'Rate limit' } },
  chats: {
    id: 'chats',
    tab: 'operation',
    order: 110,
    title: { zh: '聊天', en: 'Chat' },
    help: {
      zh: '令牌页面和侧边栏中的聊天入口；{key} 和 {address} 会替换为令牌密钥和服务器地址。',
      en: 'Shown in the sidebar and on the token page. {key} and {address} are replaced with the token and the server address.',
    },
  },
  groups: {
    id: 'groups',
    tab: 'operation',
    order: 120,
    needs,
    title: { zh: '分组', en: 'Groups' },
    help: {
      zh: '所有价格都会乘以分组倍率；可选的分组用户可以自行用于令牌。',
      en: 'Every price is multiplied by the group ratio. Users can choose selectable groups for their tokens.',
    },
  },
  models: {
    id: 'models',
    tab: 'operation',
    order: 130,
    needs,
    title: { zh: '模型价格', en: 'Model prices' },
    help: {
      zh: '固定价格优先于倍率；倍率 1 表示每百万输入 Token 2 美元。',
      en: 'A fixed price takes precedence over the ratios. A ratio of 1 is $2 per million input tokens.',
    },
  },
  server: { id: 'server', tab: 'system', order: 10, title: { zh: '服务器', en: 'Server' } },
  management: { id: 'management', tab: 'system', order: 20, title: { zh: '管理接口', en: 'Management API' } },
  worker: {
    id: 'worker',
    tab: 'system',
    order: 30,
    title: { zh: '代理', en: 'Worker' },
    help: {
      zh: '用于转发图片下载和 Webhook 通知。',
      en: 'Forwards image downloads and webhook notifications.',
    },
  },
  payment: {
    id: 'payment',
    tab: 'system',
    order: 40,
    needs,
    title: { zh: '支付', en: 'Payment' },
    help: {
      zh: '当前仅支持易支付接口；请先填写服务器地址。',
      en: 'Only EasyPay providers are supported. Set the server address first.',
    },
  },
  signIn: {
    id: 'signIn',
    tab: 'system',
    order: 50,
    needs,
    title: { zh: '登录与注册', en: 'Sign-in and sign-up' },
    help: {
      zh: '关闭新用户注册后，任何方式都无法注册。',
      en: 'When sign-up is turned off, nobody can sign up in any way.',
    },
  },
  emailRules: {
    id: 'emailRules',
    tab: 'system',
    order: 60,
    needs,
    title: { zh: '邮箱限制', en: 'Email rules' },
    help: {
      zh: '防止恶意用户使用临时邮箱批量注册。',
      en: 'Prevents bulk sign-ups with disposable email addresses.',
    },
  },
  smtp: {
    id: 'smtp',
    tab: 'system',
    order: 70,
    title: { zh: 'SMTP', en: 'SMTP' },
    help: { zh: '用于发送系统邮件。', en: 'Server for outgoing email.' },
  },
  github: {
    id: 'github',
    tab: 'system',
    order: 80,
    needs,
    title: { zh: 'GitHub', en: 'GitHub' },
    help: { zh: '用于通过 GitHub 登录和注册。', en: 'Sign-in and sign-up with GitHub.' },
  },
  linuxdo: {
    id: 'linuxdo',
    tab: 'system',
    order: 90,
    needs,
    title: { zh: 'LINUX DO', en: 'LINUX DO' },
    help: { zh: '用于通过 LINUX DO 登录和注册。', en: 'Sign-in and sign-up with LINUX DO.' },
  },
  wechat: {
    id: 'wechat',
    tab: 'system',
    order: 100,
    needs,
    title: { zh: '微信', en: 'WeChat' },
    help: { zh: '用于通过微信登录和注册。', en: 'Sign-in and sign-up with WeChat.' },
  },
  telegram: {
    id: 'telegram',
    tab: 'system',
    order: 110,
    needs,
    title: { zh: 'Telegram', en: 'Telegram' },
    help: { zh: '用于通过 Telegram 登录。', en: 'Sign-in with Telegram.' },
  },
  turnstile: {
    id: 'turnstile',
    tab: 'system',
    order: 120,
    needs,
    title: { zh: 'Turnstile', en: 'Turnstile' },
    help: { zh: '用于防止机器人提交表单。', en: 'Protects forms against bots.' },
  },
  content: { id: 'content', tab: 'other', order: 10, title: { zh: '内容', en: 'Content' } },
} as const satisfies Readonly<Record<string, OptionSection>>

export type SectionId = keyof typeof SECTIONS

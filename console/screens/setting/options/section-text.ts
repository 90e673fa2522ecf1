import type { English } from '../../../ui/text/text.ts'
import type { OptionSectionId } from './sections.ts'

const zh = {
  general: '通用设置',
  drawing: '绘图与任务',
  sensitive: '屏蔽词过滤',
  logs: '日志',
  dashboard: '数据看板',
  monitoring: '监控',
  quota: '额度',
  rateLimit: '速率限制',
  chats: '聊天',
  groups: '分组',
  models: '模型价格',
  server: '服务器',
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

const en: English<typeof zh> = {
  general: 'General',
  drawing: 'Drawing and tasks',
  sensitive: 'Sensitive words',
  logs: 'Log',
  dashboard: 'Dashboard',
  monitoring: 'Monitoring',
  quota: 'Quota',
  rateLimit: 'Rate limit',
  chats: 'Chat',
  groups: 'Groups',
  models: 'Model prices',
  server: 'Server',
  worker: 'Worker',
  payment: 'Payment',
  signIn: 'Sign-in and sign-up',
  emailRules: 'E-mail rules',
  smtp: 'SMTP',
  github: 'GitHub',
  linuxdo: 'LINUX DO',
  wechat: 'WeChat',
  telegram: 'Telegram',
  turnstile: 'Turnstile',
}

export const sectionText = { zh, en }

import type { English } from '../../ui/text.ts'

const zh = {
  tagline: '一个地址，接入所有模型',
  intro: '把各家模型服务接在一处，用一个地址和一把令牌调用。每一次请求都有账可查，分毫不差。',
  openConsole: '进入控制台',
  login: '登录',
  pricing: '模型价格',
  baseUrl: '接口地址',
  copyBaseUrl: '复制接口地址',
  example: '调用示例',
  exampleHelp: '与 OpenAI 的接口兼容：换掉地址和令牌即可。',
  balanced: '账目平衡',
  balancedText: '每笔扣费先预留、后结算，余额与流水始终一致。',
  watched: '看得清楚',
  watchedText: '每条日志都能展开成账单和路由过程。',
  fast: '足够快',
  fastText: '全部功能打开，开销仍以微秒计。',
}

const en: English<typeof zh> = {
  tagline: 'One address for every model',
  intro:
    'Connect the vendors once and call them through one address with one token. Every request has its place in the books, to the unit.',
  openConsole: 'Open console',
  login: 'Log in',
  pricing: 'Pricing',
  baseUrl: 'Base URL',
  copyBaseUrl: 'Copy base URL',
  example: 'Example call',
  exampleHelp: 'Compatible with the OpenAI API: change the address and the key.',
  balanced: 'Books that balance',
  balancedText: 'Every charge is held first and settled after. Balance and postings always agree.',
  watched: 'Nothing hidden',
  watchedText: 'Every log line opens into its bill and its route.',
  fast: 'Fast enough',
  fastText: 'With everything on, the overhead is counted in microseconds.',
}

export const text = { zh, en }

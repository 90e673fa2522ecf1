import { address, flag, inSection } from '#contract/options/define-option.ts'
import { SECTIONS } from '#contract/options/sections.ts'

export const options = inSection(SECTIONS.models, {
  PriceFeedEnabled: flag(false, {
    label: { zh: '每日读取价格来源', en: 'Read the price feed daily' },
    help: {
      zh: '每天读取一次，只生成待审批的差异并通知超级管理员，不会自动改价。',
      en: 'Once a day. Only proposes differences and notifies the super administrator; no price changes by itself.',
    },
  }),
  PriceFeedUrl: address('', {
    label: { zh: '价格来源地址', en: 'Price feed address' },
    help: {
      zh: '支持 LiteLLM、models.dev、OpenRouter 的价格文件或其他网关的 /api/pricing。',
      en: 'Prices of LiteLLM, models.dev or OpenRouter, or the /api/pricing of another gateway.',
    },
  }),
})

import prices from './default-prices.json'
import { address, descriptions, figures, flag, priceLists } from './define-option.ts'
import { listedPrices } from './list-prices.ts'
import { SECTIONS } from './sections.ts'

export const priceOptions = {
  GroupRatio: figures(prices.group_ratio, {
    section: SECTIONS.groups,
    label: { zh: '分组倍率', en: 'Group ratios' },
  }),
  UserUsableGroups: descriptions(prices.user_usable_groups, {
    section: SECTIONS.groups,
    label: { zh: '用户可选分组', en: 'Groups that users can choose' },
  }),
  TopupGroupRatio: figures(prices.topup_group_ratio, {
    section: SECTIONS.groups,
    label: { zh: '分组充值倍率', en: 'Top-up ratios of groups' },
    help: {
      zh: 'JSON：分组名到充值价格倍率。',
      en: 'JSON: group name to the multiplier of the top-up price.',
    },
  }),
  ModelPrice: figures(
    { ...listedPrices.modelPrice, ...prices.model_price },
    {
      section: SECTIONS.models,
      label: { zh: '模型固定价格', en: 'Fixed model prices' },
      help: {
        zh: '一次调用多少美元，优先于模型倍率。',
        en: 'Dollars per call. Takes precedence over the ratios.',
      },
    },
  ),
  ModelRatio: figures(
    { ...listedPrices.modelRatio, ...prices.model_ratio },
    {
      section: SECTIONS.models,
      label: { zh: '模型倍率', en: 'Model ratios' },
      help: {
        zh: '倍率 1 表示每百万输入 Token 2 美元。',
        en: 'A ratio of 1 is $2 per million input tokens.',
      },
    },
  ),
  CompletionRatio: figures(
    { ...listedPrices.completionRatio, ...prices.completion_ratio },
    {
      section: SECTIONS.models,
      label: { zh: '模型补全倍率', en: 'Completion ratios' },
      help: {
        zh: '输出相对输入的倍率，仅对自定义模型有效。',
        en: 'Output relative to input. Applies to models without a built-in ratio.',
      },
    },
  ),
  CacheRatio: figures(
    { ...listedPrices.cacheRatio, ...prices.cache_ratio },
    {
      section: SECTIONS.models,
      label: { zh: '提示缓存倍率', en: 'Cache ratios' },
      help: {
        zh: '读取缓存的 Token 相对普通输入的倍率。',
        en: 'Tokens read from the cache relative to regular input.',
      },
    },
  ),
  CreateCacheRatio: figures(prices.create_cache_ratio, {
    section: SECTIONS.models,
    label: { zh: '缓存写入倍率', en: 'Cache write ratios' },
    help: {
      zh: '写入缓存的 Token 相对普通输入的倍率；Claude 的一小时缓存为其 1.6 倍。',
      en: 'Tokens written to the cache relative to regular input. One-hour caches of Claude cost 1.6 times as much.',
    },
  }),
  ModelPriceLists: priceLists({
    section: SECTIONS.models,
    label: { zh: '自定义价目表', en: 'Own price lists' },
    help: {
      zh: '以美元计的完整价目，代替内置模型目录；由价格更新写入，含倍率无法表示的分档、服务等级和工具价格。',
      en: 'Full prices in dollars, in place of the built-in catalogue. Price updates write them, with the tiers and tool prices that no ratio expresses.',
    },
  }),
  PriceFeedEnabled: flag(false, {
    section: SECTIONS.models,
    label: { zh: '每日读取价格来源', en: 'Read the price feed daily' },
    help: {
      zh: '每天读取一次，只生成待审批的差异并通知超级管理员，不会自动改价。',
      en: 'Once a day. Only proposes differences and notifies the super administrator; no price changes by itself.',
    },
  }),
  PriceFeedUrl: address('', {
    section: SECTIONS.models,
    label: { zh: '价格来源地址', en: 'Price feed address' },
    help: {
      zh: '支持 LiteLLM、models.dev、OpenRouter 的价格文件或其他网关的 /api/pricing。',
      en: 'Prices of LiteLLM, models.dev or OpenRouter, or the /api/pricing of another gateway.',
    },
  }),
} as const

import prices from './default-prices.json'
import { descriptions, figures, inSection, priceLists } from './define-option.ts'
import { listedPrices } from './list-prices.ts'
import { SECTIONS } from './sections.ts'

export const priceOptions = {
  ...inSection(SECTIONS.groups, {
    GroupRatio: figures(prices.group_ratio, { label: { zh: '分组倍率', en: 'Group ratios' } }),
    UserUsableGroups: descriptions(prices.user_usable_groups, {
      label: { zh: '用户可选分组', en: 'Groups that users can choose' },
    }),
    TopupGroupRatio: figures(prices.topup_group_ratio, {
      label: { zh: '分组充值倍率', en: 'Top-up ratios of groups' },
      help: {
        zh: 'JSON：分组名到充值价格倍率。',
        en: 'JSON: group name to the multiplier of the top-up price.',
      },
    }),
  }),
  ...inSection(SECTIONS.models, {
    ModelPrice: figures(
      { ...listedPrices.modelPrice, ...prices.model_price },
      {
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
        label: { zh: '提示缓存倍率', en: 'Cache ratios' },
        help: {
          zh: '读取缓存的 Token 相对普通输入的倍率。',
          en: 'Tokens read from the cache relative to regular input.',
        },
      },
    ),
    CreateCacheRatio: figures(prices.create_cache_ratio, {
      label: { zh: '缓存写入倍率', en: 'Cache write ratios' },
      help: {
        zh: '写入缓存的 Token 相对普通输入的倍率；Claude 的一小时缓存为其 1.6 倍。',
        en: 'Tokens written to the cache relative to regular input. One-hour caches of Claude cost 1.6 times as much.',
      },
    }),
    ModelPriceLists: priceLists({
      label: { zh: '自定义价目表', en: 'Own price lists' },
      help: {
        zh: '以美元计的完整价目，代替内置模型目录；由价格更新写入，含倍率无法表示的分档、服务层级和工具价格。',
        en: 'Full prices in dollars, in place of the built-in catalog. Price updates write them, with the tiers and tool prices that no ratio expresses.',
      },
    }),
  }),
}

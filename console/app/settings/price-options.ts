/** The options that define model prices, as JSON. */
export const PRICE_OPTION_KEYS = [
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ModelPriceLists',
] as const

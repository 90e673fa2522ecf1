import prices from './default-prices.json'
import { address, descriptions, figures, flag, integer, priceLists } from './define-option.ts'
import { listedPrices } from './list-prices.ts'

const UNITS: readonly [number, number] = [0, 1_000_000_000_000]

export const priceOptions = {
  QuotaForNewUser: integer(0, UNITS, 'operation', 'quota units for new users'),
  QuotaForInviter: integer(0, UNITS, 'operation', 'quota units for inviters'),
  QuotaForInvitee: integer(0, UNITS, 'operation', 'quota units for invited users'),
  PreConsumedQuota: integer(
    500,
    [0, 10_000_000],
    'operation',
    'output tokens that a caller must be able to pay for when a request has no output limit',
  ),
  ModelOutputLimit: figures(
    {},
    'operation',
    'longest answer by model in tokens, which is held for requests without an output limit; known models have one',
  ),
  QuotaRemindThreshold: integer(
    1000,
    UNITS,
    'operation',
    'quota units below which users are notified by default',
  ),
  ModelRatio: figures(
    { ...listedPrices.modelRatio, ...prices.model_ratio },
    'operation',
    'input price by model; 1 is $2 per million tokens',
  ),
  ModelPrice: figures(
    { ...listedPrices.modelPrice, ...prices.model_price },
    'operation',
    'price per call in dollars by model; replaces the ratios',
  ),
  CompletionRatio: figures(
    { ...listedPrices.completionRatio, ...prices.completion_ratio },
    'operation',
    'output price by model, relative to the input price',
  ),
  CacheRatio: figures(
    { ...listedPrices.cacheRatio, ...prices.cache_ratio },
    'operation',
    'price of cached input by model, relative to the input price',
  ),
  CreateCacheRatio: figures(
    prices.create_cache_ratio,
    'operation',
    'price of cache writes by model, relative to the input price; one-hour caches of Claude cost 1.6 times as much',
  ),
  ModelPriceLists: priceLists(
    'operation',
    "price lists in dollars by model in place of the catalogue's, with what no ratio expresses; price updates write them",
  ),
  PriceFeedEnabled: flag(false, 'operation', 'reads the price feed once a day and proposes what differs'),
  PriceFeedUrl: address('', 'operation', 'address of the price feed'),
  GroupRatio: figures(prices.group_ratio, 'operation', 'price factor by group; defines the existing groups'),
  UserUsableGroups: descriptions(
    prices.user_usable_groups,
    'operation',
    'public groups with their descriptions',
  ),
} as const

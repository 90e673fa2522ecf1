import { GatewayError } from '../../core/errors.ts'
import type { CachedValue } from '../../db/engine/cached-value.ts'
import type { PriceBook } from '../../pricing/price-book.ts'
import type { ChannelDirectory } from '../routing/channel-directory.ts'
import type { Caller, SettingsReader } from '../types.ts'

export interface RequireBalanceDeps {
  readonly channels: CachedValue<ChannelDirectory>
  readonly settings: SettingsReader<'prices'>
}

/**
 * Rejects a caller with an empty wallet before the body is read, since nobody would pay for parsing it. A group with a
 * free model passes. Throws GatewayError `insufficient_user_quota`.
 */
export function requireBalance(
  { walletUnits, group }: Caller,
  { channels, settings }: RequireBalanceDeps,
): void {
  if (walletUnits > 0 || hasFreeModel(group, channels.current(), settings.current().prices)) return
  // A running request that the wallet may not cover takes it below zero without anything being owed.
  const left = Math.max(walletUnits, 0)
  throw new GatewayError('insufficient_user_quota', {
    zh: `账户剩余额度为 ${left}，至少需要 1`,
    en: `the account has ${left} units left, at least 1 is needed`,
  })
}

interface FreeModels {
  readonly prices: PriceBook
  readonly byGroup: Map<string, boolean>
}

/** By snapshot of the channels, so that no entry grows stale. */
const cache = new WeakMap<ChannelDirectory, FreeModels>()

function hasFreeModel(group: string, directory: ChannelDirectory, prices: PriceBook): boolean {
  const cached = cache.get(directory)
  const current = cached?.prices === prices ? cached : { prices, byGroup: new Map<string, boolean>() }
  if (current !== cached) cache.set(directory, current)
  const known = current.byGroup.get(group)
  if (known !== undefined) return known
  const isFree =
    prices.groupRatio(group) === 0 || directory.listModels(group).some(model => prices.find(model)?.isFree)
  current.byGroup.set(group, isFree)
  return isFree
}

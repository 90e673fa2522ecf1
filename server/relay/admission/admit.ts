import { GatewayError } from '../../core/errors.ts'
import type { CachedValue } from '../../db/engine/cached-value.ts'
import type { PriceBook } from '../../pricing/price-book.ts'
import type { ChannelDirectory } from '../routing/channel-directory.ts'
import type { Caller, OperationEnd, RelayCall, SettingsReader } from '../types.ts'
import {
  type Admission,
  admitFurther,
  limitLookups,
  limitRate,
  type RateLimitDeps,
  UNLIMITED,
} from './rate-limit.ts'

export interface AdmissionDeps extends RateLimitDeps {
  readonly channels: CachedValue<ChannelDirectory>
  readonly settings: SettingsReader<'requestRate' | 'prices'>
  readonly hooks: { readonly admit?: ((call: RelayCall) => Promise<Admission>) | undefined }
}

/** What an operation is admitted by. */
interface AdmissionTerms {
  readonly finishes: OperationEnd
  /** By default whatever is paid for needs a balance. */
  readonly needsBalance?: boolean
}

/**
 * Admits a call before its body is read: by the rates of its token and user, by features, and by the balance where it
 * costs anything. Throws GatewayError `too_many_requests` or `insufficient_user_quota`.
 */
export async function admit(call: RelayCall, terms: AdmissionTerms, deps: AdmissionDeps): Promise<Admission> {
  const { finishes, needsBalance = finishes === 'now' || finishes === 'later' } = terms
  const admission = await admitByRate(call, finishes, deps)
  if (!needsBalance) return admission
  try {
    requireBalance(call.caller, deps)
  } catch (error) {
    await admission.cancel()
    throw error
  }
  return admission
}

/** A response in the background was admitted when it was requested. The rates of users are for models, not for tasks. */
async function admitByRate(call: RelayCall, finishes: OperationEnd, deps: AdmissionDeps): Promise<Admission> {
  if (finishes === 'lookup') return limitLookups(call.caller, deps)
  if (call.connection.isBackground) return UNLIMITED
  const rates = await limitRate(call.caller, { includesUser: finishes !== 'later' }, deps)
  return deps.hooks.admit ? admitFurther(rates, deps.hooks.admit(call)) : rates
}

/**
 * Rejects a caller with an empty wallet before the body is read, since nobody would pay for parsing it. A group with a
 * free model passes. Throws GatewayError `insufficient_user_quota`.
 */
function requireBalance({ walletUnits, group }: Caller, { channels, settings }: AdmissionDeps): void {
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

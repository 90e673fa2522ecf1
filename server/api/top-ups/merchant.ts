import type { OptionValues } from '#contract/options/system-options.ts'
import { refuse } from './refuse.ts'

/** Who we are to the payment provider. */
export interface Merchant {
  readonly id: string
  readonly key: string
  readonly payAddress: string
  readonly callbackAddress: string
  readonly serverAddress: string
}

/** Throws a refusal while something is missing from the settings. */
export function merchantOf(values: OptionValues): Merchant {
  const { EpayId, EpayKey, PayAddress, ServerAddress, CustomCallbackAddress } = values
  if (EpayId === '' || EpayKey === '' || PayAddress === '') throw refuse('not_configured')
  if (ServerAddress === '') throw refuse('no_server_address')
  return {
    id: EpayId,
    key: EpayKey,
    payAddress: PayAddress,
    callbackAddress: CustomCallbackAddress || ServerAddress,
    serverAddress: ServerAddress,
  }
}

import { addQuota, NO_QUOTA, type Quota, subtractQuota } from '../../core/money.ts'
import type { ExtraUsage, Usage } from '../../core/usage.ts'
import type { Hold, HoldRequest, Ledger } from '../../ledger/ledger.ts'
import type { RequestedUse } from '../../ledger/ledger-command.ts'
import { affordableOutputTokens, calculateCharge, holdAmount } from '../../pricing/charge.ts'
import { dearestPrice, type GroupPrice, type Price } from '../../pricing/price.ts'
import type { Caller, RelayOptions, RelayRequest, SettingsReader } from '../types.ts'

/** Money reserved for a request, and the price that it was estimated with. */
export interface Reservation {
  readonly hold: Hold
  readonly price: GroupPrice
  /** The dearest that the request allows: a tier, a region. Holds are made with it. */
  readonly heldPrice: GroupPrice
  /** The most that it lets the provider's tools do. */
  readonly extras?: ExtraUsage | undefined
  /** Output tokens that the payer can pay for. */
  readonly outputTokens: number
}

/** A reservation that is not made yet. */
export interface HoldEstimate extends Omit<Reservation, 'hold'> {
  readonly hold: HoldRequest
  /** Output tokens that the minimum of the hold covers. */
  readonly minimumOutputTokens: number
}

/** Reserves the estimated amount. Throws GatewayError when the wallet or the token cannot afford its minimum. */
export async function reserve(
  { hold: holdRequest, outputTokens, minimumOutputTokens, ...terms }: HoldEstimate,
  { ledger }: { readonly ledger: Pick<Ledger, 'reserve'> },
): Promise<Reservation> {
  const hold = await ledger.reserve(holdRequest)
  return { ...terms, hold, outputTokens: hold.isShort ? minimumOutputTokens : outputTokens }
}

/**
 * Estimates the most that the request can cost: the longest answer, and an input token for each byte of the prompt. The
 * hold is granted for less, the estimated input and the first output tokens, when nothing else takes the wallet below
 * zero. `regions`: those of the channels that may serve it. Throws GatewayError `model_price_missing` when the model has no
 * price.
 */
export function estimateHold(
  request: RelayRequest,
  settings: SettingsReader<'PreConsumedQuota' | 'prices' | 'UserConcurrencyLimit'>,
  regions: readonly string[] = [],
): HoldEstimate {
  const { caller, requestId, model, inputTokens, imageUnits: images, maxOutputTokens, requested } = request
  const { prices, PreConsumedQuota, UserConcurrencyLimit } = settings.current()
  const price = prices.get({ model, group: caller.group })
  const outputTokens = largestOutput(request, price.model)
  const minimumOutputTokens = Math.min(maxOutputTokens ?? PreConsumedQuota, outputTokens)
  const { extras, otherModels = [] } = requested
  const most = { inputTokens: largestInput(request), outputTokens, images, extras }
  const substitutes = otherModels.filter(({ isOfTool }) => !isOfTool)
  const [heldPrice, amount] = [
    price,
    ...substitutes.map(({ name }) => prices.get({ model: name, group: caller.group })),
  ]
    .map(one => {
      const dearest = dearestPrice(one, {
        serviceTier: requested.serviceTier,
        regions: requested.region === undefined ? regions : [...regions, requested.region],
      })
      return [dearest, holdAmount(dearest, most)] as const
    })
    .reduce((dearest, other) => (other[1] > dearest[1] ? other : dearest))
  const least = { inputTokens, outputTokens: minimumOutputTokens, images }
  // A free model is open to empty wallets, but its tools are not.
  const minimum = holdAmount(heldPrice, price.isFree ? { ...least, extras } : least)
  const others = otherModels.map(({ name }) => name)
  const effort = request.operation.name === 'chat' ? (request.effort ?? '') : undefined
  const use = { model, others, effort, bends: request.bends ?? [], tokens: most.inputTokens + outputTokens }
  const hold = { requestId, ...toPayer(caller, { UserConcurrencyLimit }, use), amount, minimum }
  return { hold, price, heldPrice, extras, outputTokens, minimumOutputTokens }
}

/** The most output tokens that the request can cost, over all choices. */
function largestOutput(
  { maxOutputTokens, choices = 1, operation, inputTokens }: AnswerableRequest,
  { outputTokensMax }: Pick<Price, 'outputTokensMax'>,
): number {
  return maxOutputTokens ?? operation.outputTokensMax?.(inputTokens) ?? outputTokensMax * choices
}

type AnswerableRequest = Pick<RelayRequest, 'maxOutputTokens' | 'choices' | 'operation' | 'inputTokens'>

/** The estimate counts a quarter of a token for each byte, and no tokenizer makes more than one of a byte. */
const TOKENS_PER_ESTIMATED_TOKEN = 4

/** What providers usually add to requests that let them. */
const ADDED_INPUT_TOKENS = 100_000

/** The most input tokens that the request can cost, as far as its content can be measured. */
export const largestInput = ({
  inputTokens,
  isOpenEnded,
  operation,
}: Pick<RelayRequest, 'inputTokens' | 'isOpenEnded' | 'operation'>): number =>
  inputTokens * TOKENS_PER_ESTIMATED_TOKEN +
  (operation.contextTokens ?? 0) +
  (isOpenEnded ? ADDED_INPUT_TOKENS : 0)

/** The payer, with the limits on concurrent holds, and what budgets look at. */
export function toPayer(
  { userId, token, group, isBounded }: Caller,
  { UserConcurrencyLimit }: Pick<RelayOptions, 'UserConcurrencyLimit'>,
  use: Omit<RequestedUse, 'group' | 'subjects'>,
): Omit<HoldRequest, 'requestId' | 'amount' | 'minimum'> {
  const limits = { user: UserConcurrencyLimit, token: token?.concurrency ?? 0 }
  const isTokenLimited = token?.isLimited ?? false
  const bounds = isBounded || !token ? { use: { ...use, group, subjects: token?.subjects ?? [] } } : undefined
  const payer = { userId, tokenId: token?.id ?? null, isTokenLimited, ...bounds }
  return limits.user > 0 || limits.token > 0 ? { ...payer, limits } : payer
}

/** Keeps a stream's hold ahead of its output. */
export interface HoldExtender {
  /** Whether the hold already covers this many output tokens. */
  isWithinHold(outputTokens: number): boolean
  /** Extends the hold to this many output tokens. False when the payer cannot afford it. */
  extendTo(outputTokens: number): Promise<boolean>
  /** Extends the hold to cover all of the usage so far, if necessary. False when the payer cannot afford it. */
  extendToUsage(usage: Usage): Promise<boolean>
  /** The hold with all extensions so far. */
  hold(): Hold
}

/** `inputTokens`: the estimate that the reservation was made with. */
export function createHoldExtender(
  reservation: Reservation,
  inputTokens: number,
  ledger: Pick<Ledger, 'extend' | 'affordable'>,
): HoldExtender {
  const { price, heldPrice } = reservation
  let { hold, outputTokens: heldTokens } = reservation
  /** A short hold covers tokens only. */
  const extras = hold.isShort ? undefined : reservation.extras
  const amountFor = (outputTokens: number): Quota =>
    holdAmount(heldPrice, { inputTokens, outputTokens, extras })
  /** The part of the hold that the payer can pay: all of it, unless the hold is short. */
  let affordable = hold.isShort ? amountFor(heldTokens) : hold.amount
  /** Kept free for the next response of a conversation, whose usage is known only after it was delivered. */
  const reserveForResponse = hold.isShort ? NO_QUOTA : hold.amount

  const raiseTo = async (amount: Quota): Promise<boolean> => {
    if (amount <= affordable) return true
    if (amount > hold.amount) {
      const extended = await ledger.extend(hold, subtractQuota(amount, hold.amount))
      if (!extended) return false
      hold = extended
      affordable = hold.amount
    } else affordable = await ledger.affordable(hold)
    return amount <= affordable
  }

  const coverDouble = async (outputTokens: number): Promise<boolean> => {
    const doubled = Math.max(outputTokens, heldTokens * 2)
    if (!(await raiseTo(amountFor(doubled)))) return false
    heldTokens = doubled
    return true
  }

  const coverAffordable = async (outputTokens: number): Promise<boolean> => {
    if (!(await raiseTo(amountFor(outputTokens)))) return false
    heldTokens = Math.max(
      outputTokens,
      affordableOutputTokens(heldPrice, affordable, { inputTokens, extras }),
    )
    return true
  }

  return {
    isWithinHold: outputTokens => outputTokens <= heldTokens,
    async extendTo(outputTokens) {
      // Doubling keeps extensions rare; the rest of the balance is for payers who cannot afford that.
      return (await coverDouble(outputTokens)) || (await coverAffordable(outputTokens))
    },
    async extendToUsage(usage) {
      const charge = calculateCharge(price, usage).amount
      const amount = addQuota(charge, reserveForResponse)
      return amount <= affordable || (await raiseTo(addQuota(amount, charge))) || (await raiseTo(amount))
    },
    hold: () => hold,
  }
}

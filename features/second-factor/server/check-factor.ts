import type { GivenFactor } from '#contract/accounts/second-factor.ts'
import { throttleAttempts } from '#server/accounts/sign-in-throttle.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { factorError, factorThrottleError } from './errors.ts'
import { checkPasskey } from './passkeys.ts'
import { type FactorRow, findPasskey, listFactors, takeStep } from './queries.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import { findTotpStep } from './totp.ts'

const HOUR_MS = 3_600_000
/** Three of a million codes are right at a time: at most a thousandth of them is tried in a day, from however many networks. */
const WRONG_CODES: RateLimit = { name: 'wrong second factors', limit: 15, windowMs: HOUR_MS }

type FactorContext = Pick<ApiContext, 'db' | 'settings' | 'session' | 'secrets' | 'rateLimiter' | 'network'>

/** Throws unless the factor is one of the user's. Whoever guesses is slowed down; a device of the owner is not. */
export async function checkFactor(userId: number, given: GivenFactor, context: FactorContext): Promise<void> {
  const { rateLimiter, network, session } = context
  const device = session.deviceOf(userId)
  const subject = `user ${userId}`
  const taken = device === undefined ? await rateLimiter.take(WRONG_CODES, subject) : undefined
  if (taken && !taken.isAllowed)
    throw factorThrottleError('too_often', { seconds: Math.ceil(taken.retryAfterMs / 1000) })
  const attempt = { account: `second factor of ${subject}`, network, device }
  await throttleAttempts(attempt, rateLimiter, () => checkGiven(userId, given, context))
  if (taken) await rateLimiter.putBack(WRONG_CODES, subject, taken)
}

async function checkGiven(
  userId: number,
  { totp, recovery, passkey }: GivenFactor,
  context: FactorContext,
): Promise<void> {
  if (passkey) {
    const factor = await findPasskey(context.db, passkey.id)
    if (factor?.user_id !== userId) throw factorError('unknown_passkey')
    return checkPasskey(passkey, factor, { isAlone: false }, context)
  }
  if (recovery) {
    const { db, secrets } = context
    if (await spendRecoveryCode(db, userId, recovery, secrets)) return
    throw factorError('wrong_recovery')
  }
  if (!totp) throw factorError('none_given')
  await checkTotp(await listFactors(context.db, userId), totp, context)
}

/** Takes the code of one of these authenticator apps; each of its codes once. */
export async function checkTotp(
  factors: readonly FactorRow[],
  code: string,
  { db, secrets }: Pick<FactorContext, 'db' | 'secrets'>,
): Promise<void> {
  for (const { id, kind, secret_sealed } of factors) {
    const step = kind === 'totp' ? findTotpStep(secrets.decrypt(secret_sealed), code) : undefined
    if (step === undefined) continue
    if (await takeStep(db, id, step, nowSeconds())) return
    throw factorError('used_code')
  }
  throw factorError('wrong_code')
}

import type { GivenFactor } from '#contract/accounts/second-factor.ts'
import type { User } from '#contract/entities/user.ts'
import { USER_STATUS } from '#contract/enums.ts'
import { toSelf } from '#server/accounts/user-view.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { lockUser, updateLastLogin } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { checkFactor } from './check-factor.ts'
import { factorError } from './errors.ts'
import { checkPasskey } from './passkeys.ts'
import { findPasskey } from './queries.ts'

/** Completes the sign-in that this browser has firstStep, or signs in with a passkey alone. */
export async function completeWithFactor(given: GivenFactor, context: ApiContext): Promise<User> {
  const { db, session, secrets } = context
  const firstStep = await findFirstStepOf(given, context)
  const userId = firstStep ?? (await checkPasskeyAlone(given, context))
  if (firstStep !== undefined) await checkFactor(firstStep, given, context)
  await context.willChange([userId])
  return inTransaction(db, async tx => {
    const user = await lockUser(tx, userId)
    if (!user || user.deleted_at !== null || user.status !== USER_STATUS.enabled) throw factorError('banned')
    // The password may have been replaced meanwhile.
    if (firstStep !== undefined && (await session.findFirstStep(tx)) !== firstStep)
      throw factorError('no_first_step')
    await session.open(userId, tx, 'given')
    await updateLastLogin(tx, userId, nowSeconds())
    return toSelf(user, secrets)
  })
}

/** The passkey of another account signs in to that one, whatever this browser has firstStep. */
async function findFirstStepOf(
  { passkey }: GivenFactor,
  { db, session }: Pick<ApiContext, 'db' | 'session'>,
): Promise<number | undefined> {
  const firstStep = await session.findFirstStep()
  const owner = passkey && (await findPasskey(db, passkey.id))?.user_id
  return owner === undefined || owner === firstStep ? firstStep : undefined
}

/** A passkey replaces the password only where it has verified its owner. Returns whose it is. */
async function checkPasskeyAlone({ passkey }: GivenFactor, context: ApiContext): Promise<number> {
  if (!passkey) throw factorError('no_first_step')
  const factor = await findPasskey(context.db, passkey.id)
  if (!factor) throw factorError('unknown_passkey')
  await checkPasskey(passkey, factor, { isAlone: true }, context)
  return factor.user_id
}

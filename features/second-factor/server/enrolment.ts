import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { lockUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { checkTotp } from './check-factor.ts'
import { factorError } from './errors.ts'
import {
  deleteFactor,
  deleteRecoveryCodes,
  deleteUnconfirmed,
  FACTORS_MAX,
  findUnconfirmed,
  insertFactor,
  listFactors,
} from './queries.ts'
import { createRecoveryCodes } from './recovery-codes.ts'
import { createTotpSecret, toBase32, totpAddress } from './totp.ts'

/** An app that has shown no code by then is none. */
const CONFIRM_SECONDS = 10 * 60

type EnrolmentContext = Pick<ApiContext, 'db' | 'caller' | 'secrets' | 'settings'>

interface AddedFactor {
  readonly recovery_codes: string[]
}

/** Adds an authenticator app that does not count until its first code. */
export async function addUnconfirmedTotp(
  name: string,
  { db, caller, secrets, settings }: EnrolmentContext,
): Promise<{ secret: string; url: string }> {
  const secret = createTotpSecret()
  await inTransaction(db, async tx => {
    await requireRoom(tx, caller.id)
    await deleteUnconfirmed(tx, caller.id)
    await insertFactor(tx, {
      user_id: caller.id,
      kind: 'totp',
      name,
      secret_sealed: secrets.encrypt(secret),
      credential_id: null,
      created_at: nowSeconds(),
      is_confirmed: 0,
    })
  })
  const { SystemName } = settings.current().values
  return { secret: toBase32(secret), url: totpAddress(secret, SystemName, caller.username) }
}

export async function confirmUnconfirmedTotp(
  code: string,
  { db, caller, secrets }: EnrolmentContext,
): Promise<AddedFactor> {
  const factor = await findUnconfirmed(db, caller.id, nowSeconds() - CONFIRM_SECONDS)
  if (!factor) throw factorError('not_started')
  return inTransaction(db, async tx => {
    await requireRoom(tx, caller.id)
    const before = await listFactors(tx, caller.id)
    await checkTotp([factor], code, { db: tx, secrets })
    return { recovery_codes: await codesForFirst(before.length, caller.id, { db: tx, secrets }) }
  })
}

interface NewPasskey {
  readonly credential_id: string
  readonly public_key: string
  readonly counter: number
}

export function addFactorOfPasskey(
  name: string,
  passkey: NewPasskey,
  { db, caller, secrets }: EnrolmentContext,
): Promise<AddedFactor> {
  return inTransaction(db, async tx => {
    await requireRoom(tx, caller.id)
    const before = await listFactors(tx, caller.id)
    const row = { user_id: caller.id, kind: 'passkey', name, ...passkey, is_confirmed: 1 } as const
    if ((await insertFactor(tx, { ...row, created_at: nowSeconds() })) === undefined)
      throw factorError('known_passkey')
    return { recovery_codes: await codesForFirst(before.length, caller.id, { db: tx, secrets }) }
  })
}

/** Removes a factor; with the last one, what replaces it. */
export const removeFactorOf = (userId: number, id: number, db: Database): Promise<void> =>
  inTransaction(db, async tx => {
    await lockUser(tx, userId)
    if (!(await deleteFactor(tx, userId, id))) throw factorError('unknown')
    if ((await listFactors(tx, userId)).length === 0) await deleteRecoveryCodes(tx, userId)
  })

/** Locks the user, so that additions at the same time count each other. */
async function requireRoom(tx: Database, userId: number): Promise<void> {
  await lockUser(tx, userId)
  if ((await listFactors(tx, userId)).length >= FACTORS_MAX)
    throw factorError('too_many', { max: FACTORS_MAX })
}

/** Whoever adds the first factor gets the codes for when it is lost. */
async function codesForFirst(
  before: number,
  userId: number,
  { db, secrets }: Pick<EnrolmentContext, 'db' | 'secrets'>,
): Promise<string[]> {
  return before > 0 ? [] : [...(await createRecoveryCodes(db, userId, secrets))]
}

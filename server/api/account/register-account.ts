import type { Registration } from '#contract/account.ts'
import { inTransaction } from '../../db/database.ts'
import { findInviter } from '../../db/invitations.ts'
import type { ApiContext } from '../context.ts'
import { makeAccount } from '../make-account.ts'
import { hashPassword } from '../passwords.ts'
import { refuse } from './refuse.ts'

/** Makes an account for a visitor, with what new and invited users are given. */
export async function registerAccount(
  { username, password, aff_code }: Registration,
  { db, settings, requestId }: Pick<ApiContext, 'db' | 'settings' | 'requestId'>,
): Promise<void> {
  const { values } = settings.current()
  if (!values.RegisterEnabled) throw refuse('registration_off')
  if (!values.PasswordRegisterEnabled) throw refuse('password_registration_off')
  if (values.EmailVerificationEnabled) throw refuse('email_unverified')
  const passwordHash = await hashPassword(password)
  const user = await inTransaction(db, async tx => {
    const inviter = aff_code ? await findInviter(tx, aff_code) : undefined
    const account = { username, displayName: username, passwordHash, email: '', inviter }
    return makeAccount(tx, account, { values, actorId: 0, requestId })
  })
  if (!user) throw refuse('name_taken')
}

import type { Registration } from '#contract/accounts/account.ts'
import { findInviter } from '../../db/accounts/users.ts'
import { inTransaction } from '../../db/engine/database.ts'
import type { ApiContext } from '../context.ts'
import { createAccount } from '../create-account.ts'
import { consumeEmailCode, type VerifiedCode, verifyEmailCode } from '../email-codes.ts'
import { hashPassword } from '../passwords.ts'
import { accountError } from './errors.ts'

type RegistrationDeps = Pick<ApiContext, 'db' | 'settings' | 'secrets' | 'requestId'>

/** Registers a visitor and grants the quota for new and invited users. A failed registration consumes no code. */
export async function registerAccount(registration: Registration, context: RegistrationDeps): Promise<void> {
  const { db, settings, requestId } = context
  const { username, password, aff_code } = registration
  const { values } = settings.current()
  if (!values.RegisterEnabled) throw accountError('registration_off')
  if (!values.PasswordRegisterEnabled) throw accountError('password_registration_off')
  const proof = values.EmailVerificationEnabled ? await verifyAddress(registration, context) : undefined
  const passwordHash = await hashPassword(password)
  await inTransaction(db, async tx => {
    if (proof && !(await consumeEmailCode(tx, proof.code))) throw accountError('wrong_code')
    const inviter = aff_code ? await findInviter(tx, aff_code) : undefined
    const email = proof?.address ?? ''
    const account = { username, displayName: username, passwordHash, email, inviter }
    const user = await createAccount(tx, account, { values, actorId: 0, requestId })
    if (!user) throw accountError('name_taken')
  })
}

interface VerifiedEmail {
  readonly address: string
  readonly code: VerifiedCode
}

async function verifyAddress(
  { email, verification_code }: Registration,
  context: RegistrationDeps,
): Promise<VerifiedEmail> {
  if (!email || !verification_code) throw accountError('email_unverified')
  const code = await verifyEmailCode({ purpose: 'verify', address: email }, verification_code, context)
  if (!code) throw accountError('wrong_code')
  return { address: email, code }
}

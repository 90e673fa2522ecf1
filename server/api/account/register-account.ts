import type { Registration } from '#contract/accounts/account.ts'
import { inTransaction } from '../../db/database.ts'
import { findInviter } from '../../db/invitations.ts'
import type { ApiContext } from '../context.ts'
import { checkCode, type RightCode, spendCode } from '../mail-codes.ts'
import { makeAccount } from '../make-account.ts'
import { hashPassword } from '../passwords.ts'
import { refuse } from './refuse.ts'

type Context = Pick<ApiContext, 'db' | 'settings' | 'secrets' | 'requestId'>

/** Makes an account for a visitor, with what new and invited users are given. A code is spent only with success. */
export async function registerAccount(registration: Registration, context: Context): Promise<void> {
  const { db, settings, requestId } = context
  const { username, password, aff_code } = registration
  const { values } = settings.current()
  if (!values.RegisterEnabled) throw refuse('registration_off')
  if (!values.PasswordRegisterEnabled) throw refuse('password_registration_off')
  const proof = values.EmailVerificationEnabled ? await provenAddress(registration, context) : undefined
  const passwordHash = await hashPassword(password)
  await inTransaction(db, async tx => {
    if (proof && !(await spendCode(tx, proof.code))) throw refuse('wrong_code')
    const inviter = aff_code ? await findInviter(tx, aff_code) : undefined
    const email = proof?.address ?? ''
    const account = { username, displayName: username, passwordHash, email, inviter }
    const user = await makeAccount(tx, account, { values, actorId: 0, requestId })
    if (!user) throw refuse('name_taken')
  })
}

interface Proof {
  readonly address: string
  readonly code: RightCode
}

async function provenAddress({ email, verification_code }: Registration, context: Context): Promise<Proof> {
  if (!email || !verification_code) throw refuse('email_unverified')
  const code = await checkCode({ purpose: 'verify', address: email }, verification_code, context)
  if (!code) throw refuse('wrong_code')
  return { address: email, code }
}

import type { z } from 'zod'
import type { CreatedPasskey, PasskeyRequest, UsedPasskey } from '#contract/accounts/second-factor.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { factorError } from './errors.ts'
import { type FactorRow, takeCounter } from './queries.ts'

const CHALLENGE_CHARS = 43
const TIMEOUT_MS = 5 * 60_000
/** Tells challenges from the states of sign-ins with other accounts, which sessions keep in the same place. */
const MARK = 'passkey '

/** Loads the library with its first use: most gateways have nobody with a passkey. */
const loadLibrary = () => import('@simplewebauthn/server')

export type PasskeyContext = Pick<ApiContext, 'db' | 'settings' | 'session'>

/** Where passkeys of this installation are valid. */
export function passkeySite({ settings }: Pick<ApiContext, 'settings'>) {
  const { ServerAddress, SystemName: name } = settings.current().values
  if (ServerAddress === '') throw factorError('no_address')
  const { hostname: id, origin } = new URL(ServerAddress)
  return { id, origin, name }
}

/** A challenge that this session may answer once, within ten minutes; in Base64url. */
export async function createChallenge({ session }: Pick<ApiContext, 'session'>): Promise<string> {
  const challenge = Buffer.from(randomAlphanumeric(CHALLENGE_CHARS)).toString('base64url')
  await session.saveSignInState({ state: MARK + challenge, aff: '' })
  return challenge
}

async function takeChallenge({ session }: Pick<ApiContext, 'session'>): Promise<string> {
  const started = await session.takeSignInState()
  if (!started?.state.startsWith(MARK)) throw factorError('no_challenge')
  return started.state.slice(MARK.length)
}

/** What the browser needs to ask for a passkey; `factors` are those that may answer, none for any. */
export async function requestPasskey(
  factors: readonly FactorRow[],
  context: PasskeyContext,
): Promise<z.infer<typeof PasskeyRequest>> {
  const { id: rpId } = passkeySite(context)
  return {
    challenge: await createChallenge(context),
    rpId,
    timeout: TIMEOUT_MS,
    userVerification: factors.length > 0 ? 'preferred' : 'required',
    allowCredentials: factors.flatMap(({ credential_id: id }) =>
      id === null ? [] : [{ id, type: 'public-key' as const }],
    ),
  }
}

/** Checks the response of a passkey and counts its use. */
export async function checkPasskey(
  passkey: z.infer<typeof UsedPasskey>,
  factor: FactorRow,
  { isAlone }: { readonly isAlone: boolean },
  context: PasskeyContext,
): Promise<void> {
  const { id: expectedRPID, origin: expectedOrigin } = passkeySite(context)
  const expectedChallenge = await takeChallenge(context)
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: passkey,
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    // The count is compared where it is stored, so that of two uses at once only one passes.
    credential: { id: passkey.id, publicKey: fromBase64(factor.public_key), counter: 0 },
    requireUserVerification: isAlone,
  }).catch(rejectPasskey)
  if (!verified) throw factorError('wrong_passkey', { reason: 'signature' })
  const isCounted = await takeCounter(context.db, factor.id, authenticationInfo.newCounter, nowSeconds())
  if (!isCounted) throw factorError('cloned_passkey')
}

/** What is stored of a new passkey. */
export async function readNewPasskey(
  passkey: z.infer<typeof CreatedPasskey>,
  context: PasskeyContext,
): Promise<{ credential_id: string; public_key: string; counter: number }> {
  const { id: expectedRPID, origin: expectedOrigin } = passkeySite(context)
  const expectedChallenge = await takeChallenge(context)
  const { verifyRegistrationResponse } = await loadLibrary()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: passkey,
    expectedChallenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: false,
  }).catch(rejectPasskey)
  if (!registrationInfo) throw factorError('wrong_passkey', { reason: 'attestation' })
  const { id, publicKey, counter } = registrationInfo.credential
  return { credential_id: id, public_key: Buffer.from(publicKey).toString('base64url'), counter }
}

function rejectPasskey(error: unknown): never {
  throw factorError('wrong_passkey', { reason: errorMessage(error) })
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))

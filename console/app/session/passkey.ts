import { type GivenFactor, startPasskey } from '#contract/accounts/second-factor.ts'
import { translatorOf } from '../../ui/text/text.ts'
import { call } from '../api/call.ts'
import { reauthenticationText } from './reauthentication-text.ts'

const t = translatorOf(reauthenticationText)

/** Lets the browser ask for a passkey: for the account that signs in or is signed in, or alone, for any. */
export async function askForPasskey({ isAlone }: { readonly isAlone: boolean }): Promise<GivenFactor> {
  const optionsJSON = await call(startPasskey, { body: { is_alone: isAlone } })
  const { startAuthentication } = await import('@simplewebauthn/browser')
  try {
    return { passkey: { ...(await startAuthentication({ optionsJSON })), clientExtensionResults: {} } }
  } catch (cause) {
    // Browsers name no reason: the reader closed their dialog, it timed out, or they know no passkey.
    throw new Error(t('passkeyFailed'), { cause })
  }
}

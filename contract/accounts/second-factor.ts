import { z } from 'zod'
import { RECORDS } from '../audited-records.ts'
import { endpoint } from '../endpoint.ts'
import { User } from '../entities/user.ts'
import { numberField, textField } from '../fields.ts'

const TEXT_LENGTH_MAX = 4096
const CODE_LENGTH_MAX = 40
const ID_LENGTH_MAX = 1024

const Base64 = z.string().max(TEXT_LENGTH_MAX)
const credential = {
  id: z.string().max(ID_LENGTH_MAX).meta({ description: 'Id of the credential.', example: 'q83vEg' }),
  rawId: z.string().max(ID_LENGTH_MAX).meta({ description: 'The same.', example: 'q83vEg' }),
  type: z.literal('public-key').meta({ description: 'Kind of credential.', example: 'public-key' }),
  clientExtensionResults: z.object({}).default({}).meta({ description: 'Not read.', example: {} }),
}
const clientDataJSON = Base64.meta({
  description: 'Challenge and origin, as the browser saw them.',
  example: 'eyJ0',
})

/** What a browser returns of `navigator.credentials.create`, in JSON. Source: WebAuthn level 3, section 5.1.8. */
export const CreatedPasskey = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON,
        attestationObject: z
          .string()
          .max(2 * TEXT_LENGTH_MAX)
          .meta({ description: 'The new public key, in CBOR.', example: 'o2Nm' }),
      })
      .meta({ description: 'Response of the authenticator.' }),
  })
  .meta({ id: 'CreatedPasskey', description: 'A new passkey, as browsers return it.' })

/** What a browser returns of `navigator.credentials.get`, in JSON. */
export const UsedPasskey = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON,
        authenticatorData: Base64.meta({ description: 'Flags and counter.', example: 'SZYN' }),
        signature: Base64.meta({
          format: 'password',
          description: 'Signature over both.',
          example: 'MEUC',
        }),
      })
      .meta({ description: 'Response of the authenticator.' }),
  })
  .meta({ id: 'UsedPasskey', description: 'The response of a passkey to a challenge.' })

const Code = z.string().trim().max(CODE_LENGTH_MAX)

/** One of them is given. */
export const GivenFactor = z.object({
  totp: Code.optional().meta({
    format: 'password',
    description: 'The code that the authenticator app shows.',
    example: '492039',
  }),
  recovery: Code.optional().meta({
    format: 'password',
    description: 'A recovery code; each works once.',
    example: 'k7f2m-9xq4t',
  }),
  passkey: UsedPasskey.optional(),
})
export type GivenFactor = z.infer<typeof GivenFactor>

export const PasskeyRequest = z
  .object({
    challenge: textField('To be signed, in Base64url.', 'bjNWYlE3'),
    rpId: textField('Host of the server address.', 'gate.example.com'),
    timeout: numberField('Milliseconds.', 300_000),
    userVerification: z
      .enum(['required', 'preferred'])
      .meta({ description: '`required` where the passkey replaces the password.', example: 'required' }),
    allowCredentials: z
      .array(
        z.object({
          id: textField('Id of a credential.', 'q83vEg'),
          type: z.literal('public-key').meta({ description: 'Kind of credential.', example: 'public-key' }),
        }),
      )
      .meta({ description: 'Passkeys of the account; empty: any that the browser knows for this site.' }),
  })
  .meta({ id: 'PasskeyRequest', description: 'For `navigator.credentials.get`, in JSON.' })

const FACTOR = '/api/user/factor'

export const startPasskey = endpoint({
  method: 'POST',
  path: `${FACTOR}/challenge`,
  role: 'visitor',
  isCritical: true,
  audit: 'none',
  summary: 'Get a challenge for a passkey',
  description: 'Valid once, for ten minutes, in this session.',
  body: z.object({
    is_alone: z.boolean().default(false).meta({
      description: 'Whether the passkey is to sign in alone, without a password before it.',
      example: true,
    }),
  }),
  reply: PasskeyRequest,
})

export const signInWithFactor = endpoint({
  method: 'POST',
  path: `${FACTOR}/sign-in`,
  role: 'visitor',
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: () => ({}),
  summary: 'Complete a sign-in with a second factor, or sign in with a passkey',
  description:
    'A sign-in of an account with a second factor is answered with the code `auth.factor_required` and a cookie, valid for ten minutes, with which this call completes it. Without that cookie, only a passkey that has verified its owner (fingerprint, face, PIN) signs in.',
  body: GivenFactor,
  reply: User,
})

export const confirmFactor = endpoint({
  method: 'POST',
  path: `${FACTOR}/confirm`,
  role: 'user',
  isCritical: true,
  audit: 'attempts',
  summary: 'Prove with a second factor that you are present',
  description:
    'Accounts with a second factor reauthenticate with it, never with the password alone. Recovery codes are not taken.',
  body: GivenFactor.omit({ recovery: true }),
})

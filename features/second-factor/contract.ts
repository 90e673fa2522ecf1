import { z } from 'zod'
import { FactorKind } from '#contract/accounts/reauthentication.ts'
import { CreatedPasskey } from '#contract/accounts/second-factor.ts'
import { auditedRecord } from '#contract/audited-records.ts'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { flagField, numberField, textField } from '#contract/fields.ts'

const NAME_LENGTH_MAX = 40
const CODE_LENGTH_MAX = 40
const role = 'user'
const path = '/api/user/factor'

const Factor = z
  .object({
    id: numberField('Id of the factor.', 3),
    kind: FactorKind.meta({
      description: '`passkey`, or `totp`: an authenticator app.',
      example: 'passkey',
    }),
    name: textField('As its owner calls it.', 'Laptop'),
    created_time: numberField('Unix seconds.', 1_760_000_000),
    used_time: numberField('Unix seconds of its last use; 0: never.', 1_760_000_600),
  })
  .meta({ id: 'Factor', description: 'A second factor of an account.' })
export type Factor = z.infer<typeof Factor>

export const FACTOR_RECORD = auditedRecord('factor', 'second_factors', {
  columns: ['user_id', 'kind', 'name', 'is_confirmed'],
  secrets: ['secret_sealed', 'credential_id', 'public_key'],
  createdAt: 'created_at',
})
/** The factors of the caller. */
const changesOwn = {
  role,
  isForEnrolment: true,
  needs: 'recent-sign-in',
  changes: FACTOR_RECORD,
  changedRows: ({ callerId }: { readonly callerId: number }) => ({ user_id: [callerId] }),
} as const

const Name = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .meta({ description: `What to call it, 1 to ${NAME_LENGTH_MAX} characters.`, example: 'Laptop' })

const RecoveryCodes = z.array(z.string()).meta({
  description: 'New recovery codes, shown once; empty where the former ones go on.',
  example: ['k7f2m-9xq4t'],
})
const AddedFactor = z.object({ recovery_codes: RecoveryCodes })

export const listOwnFactors = endpoint({
  method: 'GET',
  path,
  role,
  isForEnrolment: true,
  summary: 'List your second factors',
  reply: z.object({
    factors: z.array(Factor).meta({ description: 'The oldest first.' }),
    recovery_codes_left: numberField('Unused recovery codes.', 10),
    is_passkey_ready: flagField('Whether passkeys can be added: `ServerAddress` is set.', true),
  }),
})

export const startTotp = endpoint({
  method: 'POST',
  path: `${path}/totp`,
  ...changesOwn,
  summary: 'Start to add an authenticator app',
  description: 'The app counts once it has shown its first code, within ten minutes.',
  body: z.object({ name: Name }),
  reply: z.object({
    secret: z
      .string()
      .meta({ format: 'password', description: 'To be typed into the app, in Base32.', example: 'JBSWY3DP' }),
    url: z.string().meta({
      format: 'password',
      description: 'To be shown as a QR code.',
      example: 'otpauth://totp/Tollgate:alice?secret=JBSWY3DP',
    }),
  }),
})

export const confirmTotp = endpoint({
  method: 'POST',
  path: `${path}/totp/confirm`,
  ...changesOwn,
  isCritical: true,
  audit: 'attempts',
  summary: 'Add the authenticator app that was started',
  body: z.object({
    code: z.string().trim().min(1).max(CODE_LENGTH_MAX).meta({
      format: 'password',
      description: 'The code that the app shows.',
      example: '492039',
    }),
  }),
  reply: AddedFactor,
})

export const startNewPasskey = endpoint({
  method: 'POST',
  path: `${path}/passkey/challenge`,
  role,
  isForEnrolment: true,
  needs: 'recent-sign-in',
  audit: 'none',
  summary: 'Start to add a passkey',
  description: 'Valid once, for ten minutes, in this session.',
  reply: z
    .object({
      challenge: textField('To be signed, in Base64url.', 'bjNWYlE3'),
      rp: z
        .object({
          id: textField('Host of the server address.', 'gate.example.com'),
          name: textField('Name of the system.', 'Tollgate'),
        })
        .meta({ description: 'Where the passkey is valid.' }),
      user: z
        .object({
          id: textField('Of the account, in Base64url.', 'Nw'),
          name: textField('User name.', 'alice'),
          displayName: textField('Display name.', 'Alice'),
        })
        .meta({ description: 'Whose passkey it is.' }),
      excludeCredentials: z
        .array(
          z.object({
            id: textField('Id of a credential.', 'q83vEg'),
            type: z.literal('public-key').meta({ description: 'Its kind.', example: 'public-key' }),
          }),
        )
        .meta({ description: 'Passkeys that the account has already.' }),
    })
    .meta({ id: 'NewPasskeyRequest', description: 'For `navigator.credentials.create`, in JSON.' }),
})

export const addPasskey = endpoint({
  method: 'POST',
  path: `${path}/passkey`,
  ...changesOwn,
  summary: 'Add a passkey',
  body: z.object({ name: Name, passkey: CreatedPasskey }),
  reply: AddedFactor,
})

export const createOwnRecoveryCodes = endpoint({
  method: 'POST',
  path: `${path}/recovery`,
  role,
  needs: 'recent-sign-in',
  audit: 'success',
  summary: 'Create new recovery codes',
  description: 'The former ones end. Each works once, in place of a second factor.',
  reply: RecoveryCodes,
})

export const removeOwnFactor = endpoint({
  method: 'DELETE',
  path: `${path}/:id`,
  ...changesOwn,
  isForEnrolment: false,
  summary: 'Remove one of your second factors',
  description: 'With the last one, the recovery codes end, too.',
  params: IdParams,
})

export const listFactorsOfUser = endpoint({
  method: 'GET',
  path: '/api/user/:id/factors',
  role: 'root',
  summary: 'List the second factors of a user',
  description: 'The oldest first.',
  params: IdParams,
  reply: z.array(Factor),
})

export const removeFactors = endpoint({
  method: 'DELETE',
  path: '/api/user/:id/factors',
  role: 'root',
  needs: 'recent-sign-in',
  changes: FACTOR_RECORD,
  changedRows: ({ params }) => ({ user_id: [params.id] }),
  summary: 'Remove all second factors of a user',
  description:
    'For somebody who has lost all of them. All sessions and the access token of the user end; the next sign-in takes the password alone.',
  params: IdParams,
})

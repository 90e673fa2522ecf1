import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { COST, endpoint, Ids, PagesFromOne, pageOf, RowOutcome } from '#contract/endpoint.ts'
import { Token } from '#contract/entities/token.ts'
import { numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'

const role = 'admin'
const KEY_LENGTH_MAX = 500

/** A token in the hands of an administrator. */
export const AdministeredToken = Token.extend({
  key: textField('The ends of the key, with asterisks between them.', 'tlgt**********Wz4M'),
  username: textField('User name of the owner.', 'alice'),
  owner_status: numberField('Status of the owner. 1: enabled, 2: banned.', 1),
}).meta({ id: 'AdministeredToken', description: 'A token of any user, for administrators.' })
export type AdministeredToken = z.infer<typeof AdministeredToken>

export const listAllTokens = endpoint({
  method: 'GET',
  path: '/api/token/all',
  role,
  cost: COST.search,
  summary: 'List the tokens of all users',
  description: 'Those of users of a lower role, and your own. Newest first. Super administrators see all.',
  query: PagesFromOne.extend({
    keyword: QueryText.meta({
      description: 'Part of the name of the token or of its owner, or the id of the owner. Empty: any.',
      example: 'alice',
    }),
    status: QueryNumber.meta({
      description: '1: enabled, 2: disabled, 3: expired, 4: exhausted. 0: any.',
      example: 0,
    }),
  }),
  reply: pageOf(AdministeredToken),
})

export const findTokenByKey = endpoint({
  method: 'POST',
  path: '/api/token/find',
  role,
  cost: COST.search,
  summary: 'Find the token of a key',
  description: 'For keys that leaked. The key is looked up by its keyed hash, and neither stored nor logged.',
  body: z.object({
    key: z.string().trim().min(1).max(KEY_LENGTH_MAX).meta({
      format: 'password',
      description: 'The whole key, with or without `sk-`.',
      example: 'sk-tlgt…',
    }),
  }),
  reply: AdministeredToken,
})

export const updateAllTokensStatus = endpoint({
  method: 'PUT',
  path: '/api/token/all',
  role,
  changes: RECORDS.token,
  summary: 'Enable or disable tokens of other users',
  description: 'Of users of a lower role, and your own. Super administrators may change all.',
  body: z.object({
    ids: Ids,
    status: z.union([z.literal(1), z.literal(2)]).meta({ description: '1: enable, 2: disable.', example: 2 }),
  }),
  reply: z.array(RowOutcome),
})

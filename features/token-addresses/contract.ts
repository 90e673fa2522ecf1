import { z } from 'zod'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { numberField, textField } from '#contract/fields.ts'

export const ADDRESSES_PER_TOKEN_MAX = 20

export const TokenAddress = z
  .object({
    address: textField('Of the client.', '203.0.113.7'),
    first_time: numberField('Unix seconds of the first request from there.', 1_760_000_000),
    last_time: numberField('Unix seconds of the last one, within a minute.', 1_760_000_600),
  })
  .meta({ id: 'TokenAddress', description: 'From where a token was used.' })
export type TokenAddress = z.infer<typeof TokenAddress>

export const listTokenAddresses = endpoint({
  method: 'GET',
  path: '/api/token/:id/addresses',
  role: 'user',
  organization: 'member',
  summary: 'List the addresses from which a token was used',
  description: `Of your own tokens, and for administrators of those of users of a lower role. The ${ADDRESSES_PER_TOKEN_MAX} used last, for 90 days. Requests that are admitted count, whether they succeed or not.`,
  params: IdParams,
  reply: z.array(TokenAddress),
})

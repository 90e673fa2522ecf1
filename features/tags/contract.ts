import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'

export const listTagKeys = endpoint({
  method: 'GET',
  path: '/api/tag/keys',
  role: 'user',
  organization: 'billing',
  summary: 'List the keys of tags that are in use',
  description: 'Those of `RequestTagKeys`. Analytics sum up requests by the values of one (`by=tag`).',
  reply: z.array(z.string()).meta({ description: 'Keys, in the order of the option.', example: ['project'] }),
})

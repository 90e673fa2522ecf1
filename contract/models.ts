import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { numberField, textField } from './fields.ts'

export const listTypeModels = endpoint({
  method: 'GET',
  path: '/api/models',
  role: 'user',
  organization: 'member',
  summary: 'List the default models of each provider',
  reply: z.record(z.string(), z.array(z.string())).meta({
    description: 'Model names by type number.',
    example: { 1: ['gpt-4o', 'gpt-4o-mini'] },
  }),
})

export const listUserModels = endpoint({
  method: 'GET',
  path: '/api/user/models',
  role: 'user',
  organization: 'member',
  summary: 'List the models that you may use',
  reply: z.array(z.string()).meta({ description: 'Model names.', example: ['gpt-4o'] }),
})

export const GroupOffers = z
  .record(
    z.string(),
    z.object({
      ratio: numberField('Price ratio of the group.', 1),
      desc: textField('Description of the group.', 'Default group'),
    }),
  )
  .meta({ description: 'Groups by name.' })
export type GroupOffers = z.infer<typeof GroupOffers>

export const listSelfGroups = endpoint({
  method: 'GET',
  path: '/api/user/self/groups',
  role: 'user',
  organization: 'member',
  summary: 'List the groups that you may choose for a token',
  reply: GroupOffers,
})

export const listOpenGroups = endpoint({
  method: 'GET',
  path: '/api/user/groups',
  role: 'visitor',
  summary: 'List the public groups',
  reply: GroupOffers,
})

export const listGroups = endpoint({
  method: 'GET',
  path: '/api/group/',
  role: 'admin',
  summary: 'List all groups',
  reply: z.array(z.string()).meta({
    description: 'Names of the groups that have a price ratio.',
    example: ['default', 'vip'],
  }),
})

import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const listTypeModels = endpoint({
  method: 'GET',
  path: '/api/models',
  role: 'user',
  summary: 'Default model names of each channel type, keyed by the type number',
  reply: z.record(z.string(), z.array(z.string())),
})

export const listUserModels = endpoint({
  method: 'GET',
  path: '/api/user/models',
  role: 'user',
  summary: 'Names of the models that the caller may use',
  reply: z.array(z.string()),
})

/** Group name to its description and price ratio. */
export const GroupOffers = z.record(z.string(), z.object({ ratio: z.number(), desc: z.string() }))
export type GroupOffers = z.infer<typeof GroupOffers>

export const listSelfGroups = endpoint({
  method: 'GET',
  path: '/api/user/self/groups',
  role: 'user',
  summary: 'Groups that the caller may choose for a token',
  reply: GroupOffers,
})

export const listOpenGroups = endpoint({
  method: 'GET',
  path: '/api/user/groups',
  role: 'visitor',
  summary: 'Groups that anybody may choose',
  reply: GroupOffers,
})

export const listGroups = endpoint({
  method: 'GET',
  path: '/api/group/',
  role: 'admin',
  summary: 'Names of all groups that have a ratio',
  reply: z.array(z.string()),
})

import { z } from 'zod'
import { ChannelChange } from './channels.ts'
import { endpoint, Ids, RowOutcome } from '../endpoint.ts'
import { localizedError } from '../fields.ts'

const Change = ChannelChange.pick({
  status: true,
  group: true,
  groups: true,
  tag: true,
  priority: true,
  weight: true,
  auto_ban: true,
})

export const changeChannels = endpoint({
  method: 'PUT',
  path: '/api/channel/batch',
  role: 'admin',
  summary: 'Changes the same fields of the named channels; each row is told of',
  body: Change.extend({ ids: Ids }).refine(
    ({ ids: _, ...change }) => Object.keys(change).length > 0,
    localizedError('没有任何修改！', 'there is nothing to change'),
  ),
  reply: z.array(RowOutcome),
})

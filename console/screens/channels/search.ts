import { z } from 'zod'
import { PageSearch } from '../../app/table-state.ts'

const Text = z.string().catch('').default('')
const Digits = z.string().regex(/^\d*$/).catch('').default('')
const Switch = z.enum(['', '1']).catch('').default('')

export const GROUP_DEFAULT = 'default'

/** What the channel list's address holds. `test` and `tag` name the channel and the tag whose dialog is open; `preview` opens the dry run for the model `route`. */
export const ChannelSearch = z.object({
  ...PageSearch,
  q: Text,
  model: Text,
  group: Text,
  status: z.enum(['', '1', '2', '3']).catch('').default(''),
  type: Digits,
  tagmode: Switch,
  /** Absent while the reader's own choice holds. */
  idsort: z.enum(['0', '1']).optional().catch(undefined),
  test: Digits,
  tag: Text,
  preview: Switch,
  route: Text,
  routegroup: z.string().min(1).catch(GROUP_DEFAULT).default(GROUP_DEFAULT),
})
export type ChannelSearch = z.infer<typeof ChannelSearch>

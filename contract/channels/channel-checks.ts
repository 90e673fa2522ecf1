import { z } from 'zod'
import { byPost, endpoint } from '../endpoint.ts'
import { MODEL_NAME_LENGTH_MAX } from '../fields.ts'
import {
  TestTime,
  testChannel,
  testChannels,
  updateChannelBalance,
  updateChannelBalances,
} from './channel-endpoints.ts'
import { ChannelDraft } from './channels.ts'

/** A channel as the form has it. With `copy_from` what is blank, the key too, comes from that channel. */
export const UnsavedChannel = ChannelDraft.extend({
  /** Empty: the channel's test model, else its first. */
  model: z.string().trim().max(MODEL_NAME_LENGTH_MAX).default(''),
  /** Asks for a stream and reads it to its end. */
  stream: z.boolean().default(false),
})
export type UnsavedChannel = z.infer<typeof UnsavedChannel>

export const testUnsavedChannel = endpoint({
  method: 'POST',
  path: '/api/channel/test/unsaved',
  role: 'admin',
  summary: 'Sends one small request through a channel before it is saved; stores nothing',
  body: UnsavedChannel,
  meta: TestTime,
})

export const testChannelByPost = byPost(testChannel)
export const testChannelsByPost = byPost(testChannels)
export const updateChannelBalanceByPost = byPost(updateChannelBalance)
export const updateChannelBalancesByPost = byPost(updateChannelBalances)

import { deleteMatchingChannels, updateMatchingChannels } from '#contract/channels/channel-matching.ts'
import type { ChannelChange } from '#contract/channels/channels.ts'
import { call, MATCHING_TIMEOUT_MS } from '../../app/api/call.ts'
import type { MatchingFilter } from './queries.ts'

/** The calls of the bulk actions, apart from those of the list: they load with the first selection. */

/** Changes all channels that match, unless they are more than `count`. */
export const updateMatching = (filter: MatchingFilter, count: number, fields: Omit<ChannelChange, 'id'>) =>
  call(updateMatchingChannels, {
    body: { filter, count, ...fields },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })

/** Deletes all channels that match, unless they are more than `count`. */
export const deleteMatching = (filter: MatchingFilter, count: number) =>
  call(deleteMatchingChannels, {
    body: { filter, count },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })

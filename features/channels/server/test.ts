import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type BothLanguages, toStoredText } from '#server/core/language.ts'
import { type ChannelRow, disableChannelAutomatically } from '#server/db/channels/channels.ts'
import type { UnsavedChannel } from '../contract/channel-checks.ts'
import type { RunOutcome } from './channel-run.ts'
import type { ChannelTestOptions, ChannelTestOutcome, ChannelTools } from './channel-tools.ts'
import { resolveDraft } from './create.ts'
import { channelError } from './errors.ts'
import { logUnsavedTest } from './key-destination.ts'
import { writeChannels } from './models/abilities.ts'
import { needsReview } from './models/allow-again.ts'
import { findChannel, updateChannels, updateFigures } from './queries/channels.ts'
import { tryRouting } from './view.ts'

type ChannelTestDeps = Pick<ApiContext, 'db' | 'settings' | 'rootNotifier' | 'registry'> &
  Pick<ChannelTools, 'channelTester'>

const TIME_MS_UNTRIED = 0

/** Tests one channel and stores time and duration of the test, whether it passed or not. */
export async function testAndRecord(
  channelId: number,
  options: ChannelTestOptions,
  context: ChannelTestDeps,
): Promise<ChannelTestOutcome> {
  const { db, channelTester } = context
  const channel = await findChannel(db, channelId)
  if (!channel) throw channelError('unknown')
  const { problem } = tryRouting(channel, context.registry)
  const result = problem
    ? { ok: false, message: problem, timeMs: TIME_MS_UNTRIED }
    : await channelTester.testChannel(channelId, options)
  await updateFigures(db, channelId, {
    test_time: nowSeconds(),
    response_time: Math.round(result.timeMs),
  })
  return result
}

/** Tests one channel and disables or enables it by the result, as far as the options and `auto_ban` allow. */
export async function testAndUpdateStatus(channelId: number, context: ChannelTestDeps): Promise<RunOutcome> {
  const result = await testAndRecord(channelId, { model: '', isStream: false }, context)
  const channel = await findChannel(context.db, channelId)
  return { ok: result.ok, change: channel ? await updateStatus(channel, result, context) : 'none' }
}

async function updateStatus(
  channel: ChannelRow,
  result: ChannelTestOutcome,
  { db, settings, rootNotifier }: ChannelTestDeps,
): Promise<RunOutcome['change']> {
  const { AutomaticDisableChannelEnabled, AutomaticEnableChannelEnabled, ChannelDisableThreshold } =
    settings.current().values
  const reason = disableReason(result, ChannelDisableThreshold)
  if (
    channel.status === CHANNEL_STATUS.enabled &&
    channel.auto_ban === 1 &&
    AutomaticDisableChannelEnabled &&
    reason
  ) {
    const isDone = await disableChannelAutomatically(db, channel.id, {
      reason: toStoredText(reason),
      atSeconds: nowSeconds(),
    })
    if (isDone) rootNotifier.channelDisabled(channel, reason)
    return 'disabled'
  }
  if (
    channel.status === CHANNEL_STATUS.autoDisabled &&
    result.ok &&
    !reason &&
    !needsReview(channel) &&
    AutomaticEnableChannelEnabled
  ) {
    await writeChannels(db, tx =>
      updateChannels(tx, { ids: [channel.id] }, { status: CHANNEL_STATUS.enabled, other_info: '' }),
    )
    rootNotifier.channelEnabled(channel)
    return 'enabled'
  }
  return 'none'
}

function disableReason(
  { isKeyRevoked, message, timeMs }: ChannelTestOutcome,
  thresholdSeconds: number,
): BothLanguages | undefined {
  if (isKeyRevoked) return message
  const isSlow = thresholdSeconds > 0 && timeMs > thresholdSeconds * 1000
  const seconds = (timeMs / 1000).toFixed(2)
  return isSlow
    ? {
        zh: `测试用时 ${seconds} 秒，超过上限 ${thresholdSeconds} 秒`,
        en: `the test took ${seconds} s, longer than the limit of ${thresholdSeconds} s`,
      }
    : undefined
}

const UNNAMED = '-'

type UnsavedTestDeps = Pick<ApiContext, 'db' | 'registry' | 'secrets' | 'caller' | 'requestId'> &
  Pick<ChannelTools, 'channelTester'>

/** Tests an unsaved channel with its first key and logs who sent it where. Unlike a saved one it needs neither a name nor a list of models. */
export async function testUnsaved(
  { model, stream: isStream, ...draft }: UnsavedChannel,
  context: UnsavedTestDeps,
): Promise<ChannelTestOutcome> {
  const { keys, ...subject } = await resolveDraft(
    { ...draft, name: draft.name || UNNAMED, ...(model && !draft.models && { models: model }) },
    context,
  )
  await logUnsavedTest(context.db, subject, context)
  const row = { ...subject.channel, id: 0, status: CHANNEL_STATUS.enabled, stopped_models: '' }
  return context.channelTester.testUnsaved(row, keys[0], { model, isStream })
}

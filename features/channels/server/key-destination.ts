import { LOG_TYPE } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import type { BothLanguages } from '#server/core/language.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import type { Registry } from '#server/providers/registry.ts'
import { isKeyBoundTo, type KeyDestination, keyDestination } from '../contract/key-destination.ts'
import { readProxy } from './channel-input.ts'
import { channelError } from './errors.ts'

type DestinationColumns = Pick<ChannelRow, 'type' | 'base_url' | 'setting'>

export interface ChannelEdit<Channel extends DestinationColumns = ChannelRow> {
  readonly before: ChannelRow
  readonly after: Channel
}

const destinationOf = (channel: DestinationColumns, registry: Registry): KeyDestination =>
  keyDestination({
    type: channel.type,
    baseUrl: channel.base_url,
    defaultBaseUrl: registry.byType(channel.type)?.baseUrl ?? '',
    proxy: readProxy(channel.setting),
  })

function destinationText({ type, origin, proxy }: KeyDestination, registry: Registry): string {
  const provider = registry.byType(type)?.name ?? ''
  return [provider, origin, proxy && `proxy ${proxy}`].filter(part => part !== '').join(' · ')
}

/** Throws `channel.key_needed_again` when the stored key would be sent elsewhere, whatever the caller's role. */
export function checkStoredKey({ before, after }: ChannelEdit<DestinationColumns>, registry: Registry): void {
  const from = destinationOf(before, registry)
  const to = destinationOf(after, registry)
  if (isKeyBoundTo(from, to)) return
  throw channelError('key_needed_again', {
    from: destinationText(from, registry),
    to: destinationText(to, registry),
  })
}

type AuditDeps = Pick<ApiContext, 'caller' | 'registry' | 'requestId'>

/** Leaves a row in the management log when a channel's key goes to another destination than before. */
export async function logDestinationChange(
  tx: Database,
  { before, after }: ChannelEdit<DestinationColumns>,
  context: AuditDeps,
): Promise<void> {
  const { caller, registry } = context
  const [from, to] = [before, after].map(channel =>
    destinationText(destinationOf(channel, registry), registry),
  )
  if (from === to) return
  const channel = `#${before.id} (${before.name})`
  await logChannelEvent(tx, context, {
    zh: `管理员 ${caller.username} 将渠道 ${channel} 的密钥发送地址从 ${from} 改为 ${to}`,
    en: `${caller.username} changed where the key of channel ${channel} is sent from ${from} to ${to}`,
  })
}

export interface UnsavedTestSubject {
  readonly channel: DestinationColumns
  /** The channel that the draft was made from. */
  readonly source?: ChannelRow | undefined
  readonly usesStoredKey: boolean
}

/** Leaves a row in the management log for a test of a draft, which names where the key went. */
export async function logUnsavedTest(
  db: Database,
  { channel, source, usesStoredKey }: UnsavedTestSubject,
  context: AuditDeps,
): Promise<void> {
  const { caller, registry } = context
  const to = destinationText(destinationOf(channel, registry), registry)
  const copied = source ? ` #${source.id} (${source.name})` : ''
  await logChannelEvent(db, context, {
    zh: `管理员 ${caller.username} 对${copied ? `渠道${copied} ` : '新渠道'}进行了保存前测试，${usesStoredKey ? '已保存的密钥' : '新填写的密钥'}发送至 ${to}`,
    en: `${caller.username} tested ${copied ? `channel${copied}` : 'a new channel'} before saving: ${usesStoredKey ? 'the stored key' : 'a new key'} was sent to ${to}`,
  })
}

/** Leaves a row of the caller in the management log. */
export const logChannelEvent = (
  db: Database,
  { caller, requestId }: Omit<AuditDeps, 'registry'>,
  content: BothLanguages,
): Promise<void> =>
  insertEventLog(db, {
    type: LOG_TYPE.management,
    userId: caller.id,
    username: caller.username,
    content,
    requestId,
  })

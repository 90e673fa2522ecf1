import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse } from '#server/core/json/json.ts'
import { isSpeechModel, mapModel } from '#server/core/model-names.ts'
import type { ListVoices, Voice } from '#server/provider-kit/contract/provider.ts'
import { requireUsable, type UsableModelsDeps, usableModels } from '#server/relay/operations/usable-models.ts'
import type { LookupQuery } from '#server/relay/routes/routes.ts'
import type { RoutedChannel } from '#server/relay/routing/channel-directory.ts'
import type { Caller } from '#server/relay/types.ts'
import type { VoiceLists } from './voice-lists.ts'

export interface VoicesDeps extends UsableModelsDeps {
  readonly voiceLists: VoiceLists
}

/** Bounds the calls of providers for one list. */
const MODELS_MAX = 20

/**
 * Lists the voices of the model in the query; by default those of all speech models that the caller may use. It is free.
 * Throws GatewayError `model_not_found`, and `upstream_failed` when no provider tells its voices.
 */
export async function listVoices(
  { caller, connection }: Pick<LookupQuery, 'caller' | 'connection'>,
  deps: VoicesDeps,
): Promise<Response> {
  const requested = connection.url.searchParams.get('model')
  if (requested) requireUsable(requested, caller, deps)
  const models = (requested ? [requested] : usableModels(caller, deps))
    .flatMap(name => findVoiceSource(name, caller, deps))
    .filter(({ upstreamModel }) => requested || isSpeechModel(upstreamModel))
    .slice(0, MODELS_MAX)
  const data = mergeVoices(await readVoices(models, deps))
  // OpenAI's lists are in `data`; clients of compatible speech servers read `voices`.
  return jsonTextResponse(JSON.stringify({ object: 'list', data, voices: data }))
}

/** A model of the caller with the channel that tells its voices. */
interface VoiceSource {
  readonly model: string
  readonly upstreamModel: string
  readonly channel: RoutedChannel
  readonly list: ListVoices
}

/** The channel of the highest priority that can tell; none where no provider of the model can. */
function findVoiceSource(
  model: string,
  { group, pinnedChannelId }: Caller,
  { channels }: VoicesDeps,
): readonly VoiceSource[] {
  const [source] = channels
    .current()
    .find(group, model)
    .filter(({ id }) => pinnedChannelId === undefined || id === pinnedChannelId)
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id)
    .flatMap(channel => (channel.provider.voices ? [{ channel, list: channel.provider.voices }] : []))
  if (!source) return []
  const upstreamModel = mapModel(source.channel.modelMapping, model)
  return upstreamModel === undefined ? [] : [{ ...source, model, upstreamModel }]
}

interface VoicesOfModel {
  readonly model: string
  readonly voices: readonly Voice[]
}

/** Leaves out providers that fail. When all do, the first error is thrown. */
async function readVoices(
  sources: readonly VoiceSource[],
  deps: VoicesDeps,
): Promise<readonly VoicesOfModel[]> {
  const results = await Promise.all(sources.map(source => readVoicesOf(source, deps)))
  const read = results.flatMap(result => (result instanceof GatewayError ? [] : [result]))
  const error = results.find(result => result instanceof GatewayError)
  if (error && read.length === 0) throw error
  return read
}

async function readVoicesOf(
  { model, ...query }: VoiceSource,
  { voiceLists }: VoicesDeps,
): Promise<VoicesOfModel | GatewayError> {
  const voices = await voiceLists.get({ ...query, model: query.upstreamModel })
  return voices instanceof GatewayError ? voices : { model, voices }
}

interface ListedVoice extends Voice {
  readonly object: 'audio.voice'
  readonly models: readonly string[]
}

function mergeVoices(lists: readonly VoicesOfModel[]): readonly ListedVoice[] {
  const byId = new Map<string, ListedVoice>()
  for (const { model, voices } of lists)
    for (const { id, name } of voices)
      byId.set(id, { id, object: 'audio.voice', name, models: [...(byId.get(id)?.models ?? []), model] })
  return [...byId.values()]
}

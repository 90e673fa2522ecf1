import type { ModelKind } from '#contract/catalogue/model-kinds.ts'
import { errorMessage } from '#server/core/errors.ts'
import { noopLogger } from '#server/core/logger.ts'
import { isEmbeddingModel } from '#server/core/model-names.ts'
import { selectRoutingChannels } from '#server/db/channels/channels.ts'
import { findModel } from '#server/pricing/catalogue.ts'
import { type PriceBook, priceBookOf } from '#server/pricing/price-book.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { type RoutedChannel, toRoutedChannel } from '#server/relay/routing/channel-directory.ts'
import { loadSettings } from '#server/settings/settings.ts'
import type { ImportContext } from './import-context.ts'
import { listImported } from './queries/import-rows.ts'

/** A channel that came, and why requests for it, or for a model of it, will fail. */
interface ChannelQuestion {
  readonly row: string
  readonly name: string
  readonly reason: string
}

interface CheckedChannels {
  readonly questions: readonly ChannelQuestion[]
  /** Those that are enabled and that the router can use. */
  readonly usable: readonly UsableChannel[]
}

export interface UsableChannel {
  readonly sourceId: string
  readonly channel: RoutedChannel
}

/**
 * Loads every channel of the source as the router does and looks up the price of each of its models, so that nothing counts as
 * brought without a word that cannot answer.
 */
export async function checkImported(context: ImportContext): Promise<CheckedChannels> {
  const { source, registry, ...parts } = context
  const { db, secrets } = parts
  const sourceIds = new Map((await listImported(db, source, 'channels')).map(row => [row.id, row.source_id]))
  const settings = await loadSettings({ ...parts, log: noopLogger })
  const prices = priceBookOf(settings.current().values)
  const usable: UsableChannel[] = []
  const questions: ChannelQuestion[] = []
  for (const row of await selectRoutingChannels(db)) {
    const [sourceId, provider] = [sourceIds.get(row.id), registry.byType(row.type)]
    if (sourceId === undefined || !provider) continue
    const ask = (reason: string) => questions.push({ row: sourceId, name: row.name, reason })
    try {
      const channel = toRoutedChannel(row, provider, secrets.decrypt(row.key_sealed))
      if (channel.isEnabled) usable.push({ sourceId, channel })
      for (const problem of findProblems(channel, prices)) ask(problem)
    } catch (error) {
      ask(`${errorMessage(error)}: the channel is left out of routing until it is corrected`)
    }
  }
  return { questions, usable }
}

const findProblems = (channel: RoutedChannel, prices: PriceBook): readonly string[] => [
  ...findMissingFields(channel),
  ...(channel.problems ?? []).map(({ en }) => en),
  ...channel.groups
    .filter(group => prices.groupRatio(group) === undefined)
    .map(group => `the group ${group} has no ratio here: its requests are refused until it has one`),
  ...channel.models.flatMap(model => findModelProblem(model, channel, prices)),
]

function findMissingFields({
  provider: { name, form = {} },
  view,
  models,
}: RoutedChannel): readonly string[] {
  return [
    ...(models.length === 0 ? ['it lists no model'] : []),
    ...(form.baseUrl === 'required' && view.baseUrl === ''
      ? [`a channel of ${name} needs a base URL, and it has none`]
      : []),
    ...(form.other?.isRequired && view.other === ''
      ? [`a channel of ${name} needs this, and it is empty: ${form.other.label.en}`]
      : []),
  ]
}

/** Tasks find their prices by their actions. */
function findModelProblem(
  model: string,
  { provider, modelMapping }: RoutedChannel,
  prices: PriceBook,
): string[] {
  if (provider.task) return []
  if (!prices.find(model))
    return [`the model ${model} has neither a price nor a ratio: its requests are refused until it has one`]
  const kind = kindOf(modelMapping[model] ?? model)
  return canServe(provider, kind)
    ? []
    : [`a channel of ${provider.name} cannot serve ${model}, which is for ${OPERATIONS[kind]}`]
}

export function canServe(provider: Provider | undefined, kind: ModelKind): boolean {
  const operation = OPERATIONS[kind]
  return operation === undefined || provider?.[operation] !== undefined
}

const kindOf = (model: string): ModelKind =>
  findModel(model)?.kind ?? (isEmbeddingModel(model) ? 'embeddings' : 'task')

/** What a provider must be able to do for models of a kind; any operation for those that are absent. */
const OPERATIONS: Partial<
  Record<ModelKind, 'chat' | 'embeddings' | 'rerank' | 'images' | 'speech' | 'transcription' | 'moderation'>
> = {
  chat: 'chat',
  embeddings: 'embeddings',
  rerank: 'rerank',
  speech: 'speech',
  transcription: 'transcription',
  moderation: 'moderation',
}

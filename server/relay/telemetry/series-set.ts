import type { Provider } from '../../provider-kit/provider.ts'
import { genAiOperation, genAiProvider, type SeenOperation } from './gen-ai-names.ts'

/** What tells requests apart. All but the models come from small closed sets. */
export interface GenAiLabels {
  readonly operation: SeenOperation
  readonly provider: Provider | undefined
  /** Undefined: not one that is served. */
  readonly requestModel: string | undefined
  readonly responseModel?: string
  readonly error?: string | undefined
}

interface Series<Figures> {
  readonly labels: GenAiLabels
  readonly figures: Figures
}

/** Each makes some hundred lines of the page that Prometheus reads. */
const SERIES_MAX = 200
/** How the conventions call what is not told apart. */
const OTHER = '_OTHER'

/** What is counted for each combination of labels. Beyond a number of them models are told apart no more. */
export class SeriesSet<Figures> {
  private readonly open: () => Figures
  private readonly known = new Map<string, Series<Figures>>()
  /** What was asked for last: most requests are like the one before, and a comparison is cheaper than a key. */
  private last: Series<Figures> | undefined

  constructor(open: () => Figures) {
    this.open = open
  }

  of(labels: GenAiLabels): Figures {
    if (this.last && isAlike(this.last.labels, labels)) return this.last.figures
    const figures = this.known.get(keyOf(labels))?.figures ?? this.begin(labels)
    this.last = { labels, figures }
    return figures
  }

  all(): readonly (readonly [labels: Readonly<Record<string, string>>, figures: Figures])[] {
    return [...this.known.values()].map(({ labels, figures }) => [labelsOf(labels), figures])
  }

  private begin(wanted: GenAiLabels): Figures {
    const labels = this.known.size < SERIES_MAX ? wanted : withoutModels(wanted)
    const key = keyOf(labels)
    const figures = this.known.get(key)?.figures ?? this.open()
    this.known.set(key, { labels, figures })
    return figures
  }
}

const isAlike = (one: GenAiLabels, other: GenAiLabels): boolean =>
  one.operation === other.operation &&
  one.provider === other.provider &&
  one.requestModel === other.requestModel &&
  one.responseModel === other.responseModel &&
  one.error === other.error

const keyOf = ({ operation, provider, requestModel, responseModel, error }: GenAiLabels): string =>
  `${operation}\n${provider?.type}\n${requestModel}\n${responseModel}\n${error}`

const withoutModels = ({ operation, provider, error }: GenAiLabels): GenAiLabels => ({
  operation,
  provider,
  requestModel: undefined,
  error,
})

const labelsOf = ({ operation, provider, requestModel, responseModel, error }: GenAiLabels) => ({
  gen_ai_operation_name: genAiOperation(operation),
  gen_ai_provider_name: provider ? genAiProvider(provider) : OTHER,
  gen_ai_request_model: requestModel ?? OTHER,
  ...(responseModel !== undefined && { gen_ai_response_model: responseModel }),
  ...(error !== undefined && { error_type: error }),
})

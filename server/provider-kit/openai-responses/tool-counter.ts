import { DEFAULT_IMAGE_MODEL, type ExtraUsage, type ModelUsage, type ToolImages } from '../../core/usage.ts'
import {
  CONTAINER_MINUTES,
  countCalls,
  findUnknownFields,
  readAuthors,
  readContainer,
  readImageUsage,
  readServiceTier,
  readToolDetails,
  toExtras,
} from '../extra-usage.ts'
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from '../json.ts'

/** Usage of the items of a Responses API output. */
export interface ToolCounter {
  /** The response at its start, whose tools count where it breaks off. */
  begin(response: JsonObject): void
  add(item: JsonObject): void
  /** With the figures of the finished response, which count where it has them. */
  extras(response: JsonObject): ExtraUsage | undefined
}

/** Items that are kept at most; a response has far fewer. */
const IMAGES_MAX = 1_000

/** Only searches are charged, not the pages that are opened after them. Source: platform.openai.com/docs/pricing */
export function createToolCounter(): ToolCounter {
  let webSearches = 0
  let fileSearches = 0
  const containers = new ContainerCounter()
  const images: { size?: string | undefined; quality?: string | undefined }[] = []
  const authors: ModelUsage[] = []

  const countImages = (response: JsonObject): readonly ToolImages[] | undefined => {
    if (images.length === 0) return undefined
    const tool = asArray(response.tools)
      .map(asObject)
      .find(({ type }) => type === 'image_generation')
    const model = asString(tool?.model) ?? DEFAULT_IMAGE_MODEL
    const tokens = readImageTokens(asObject(asObject(response.tool_usage).image_gen))
    if (tokens) return [{ model, count: images.length, tokens }]
    return images.map(({ size = asString(tool?.size), quality = asString(tool?.quality) }) => ({
      model,
      count: 1,
      size,
      quality,
    }))
  }

  return {
    begin: response => containers.begin(response),
    add(item) {
      containers.add(item)
      switch (item.type) {
        case 'web_search_call':
          if (isSearch(item)) webSearches += 1
          break
        case 'file_search_call':
          fileSearches += 1
          break
        case 'image_generation_call':
          if (item.status !== 'failed' && images.length < IMAGES_MAX) {
            images.push({ size: asString(item.size), quality: asString(item.quality) })
            authors.push(...readAuthors(item))
          }
      }
    },
    extras(response) {
      const usage = asObject(response.usage)
      const serviceTier = readServiceTier(response.service_tier)
      const { tool_usage } = response
      const unknownFields = findUnknownFields({ ...usage, tool_usage })
      const details = usage.server_side_tool_usage_details
      if (isObject(details)) return toExtras({ serviceTier, ...readToolDetails(details), unknownFields })
      const reported = asObject(asObject(tool_usage).web_search).num_requests
      return toExtras({
        serviceTier,
        webSearches: reported === undefined ? webSearches : asCount(reported),
        toolCalls: countCalls({ file_search: fileSearches, ...containers.calls(response) }),
        toolImages: countImages(response),
        otherModels: authors.length > 0 ? authors : undefined,
        unknownFields,
      })
    },
  }
}

function isSearch({ action, status }: JsonObject): boolean {
  const type = asString(asObject(action).type)
  return (type === undefined || type === 'search') && status !== 'failed'
}

function readImageTokens(json: JsonObject): ToolImages['tokens'] {
  const {
    input = 0,
    imageInput = 0,
    cachedInput,
    cachedImage,
    output: textOutput,
    imageOutput: output = 0,
  } = readImageUsage(json) ?? {}
  if (output === 0) return undefined
  return {
    ...{ input, imageInput, output },
    ...(cachedInput && { cachedInput }),
    ...(cachedImage && { cachedImage }),
    ...(textOutput && { textOutput }),
  }
}

/** Containers are charged by the minute. Source: platform.openai.com/docs/pricing */
const MINUTES_MIN = 5
/** As many as a response may be charged for. */
const MINUTES_MAX = 1_000
const SECONDS_PER_MINUTE = 60

/** Counts the containers in which the tools of a response ran. */
class ContainerCounter {
  /** The types of their tools by their ids. */
  private readonly used = new Map<unknown, string>()
  private tools: readonly JsonObject[] = []

  /** The response as far as it is known; the last one that names its tools counts. */
  begin({ tools }: JsonObject): void {
    const withContainer = asArray(tools).map(asObject).filter(readContainer)
    if (withContainer.length > 0) this.tools = withContainer
  }

  add({ type, container_id, id, environment }: JsonObject): void {
    const hosted = asObject(environment).container_id
    if (type === 'code_interpreter_call') this.use(container_id ?? id, 'code_interpreter')
    else if (type === 'shell_call' && hosted !== undefined) this.use(hosted, 'shell')
  }

  /** Minutes by size, and uses of an interpreter that has no size. */
  calls(response: JsonObject): Record<string, number> {
    this.begin(response)
    const calls: Record<string, number> = {}
    for (const type of this.used.values()) {
      const tool = this.tools.find(one => one.type === type)
      const name = (tool && readContainer(tool)) ?? (type === 'shell' ? 'container_1g' : type)
      calls[name] = (calls[name] ?? 0) + (name === type ? 1 : readMinutes(response))
    }
    return calls
  }

  private use(id: unknown, type: string): void {
    if (!this.used.has(id)) this.used.set(id, type)
  }
}

function readMinutes({ created_at, completed_at }: JsonObject): number {
  if (typeof created_at !== 'number' || typeof completed_at !== 'number') return CONTAINER_MINUTES
  const minutes = Math.ceil((completed_at - created_at) / SECONDS_PER_MINUTE)
  return Math.min(Math.max(minutes, MINUTES_MIN), MINUTES_MAX)
}

import { DEFAULT_IMAGE_MODEL, type ExtraUsage, type ToolImages } from '../../core/usage.ts'
import { readServiceTier } from '../../provider-kit/extra-usage.ts'
import { asCount, asString, type JsonObject } from '../../provider-kit/json.ts'
import { readServerTools, type ServerTool } from '../../provider-kit/server-tools.ts'
import type { RequestedTerms } from '../types.ts'

/** Where the request sets no limit. A provider that does more is still charged for, beyond the hold. */
const SEARCHES_MAX = 10
const CALLS_MAX = 5
const IMAGES_MAX = 1
/** The highest limit of a client that is held for. */
const USES_MAX = 100
/** One container serves a whole response. */
const CONTAINERS_MAX = 1
/** Models that search with each request. */
const SEARCHES_BY_ITSELF = /sonar|-search-(preview|api)|:online$/

const NOTHING: RequestedTerms = {}

export function readRequestedTerms(body: JsonObject, model: string): RequestedTerms {
  const serviceTier = readServiceTier(body.service_tier ?? body.serviceTier, body.speed)
  const region = readRegion(body)
  const tools = readServerTools(body)
  const searchesByItself = SEARCHES_BY_ITSELF.test(model)
  if (!serviceTier && !region && tools.length === 0 && !searchesByItself) return NOTHING
  return {
    ...(serviceTier && { serviceTier }),
    ...(region && { region }),
    ...((tools.length > 0 || searchesByItself) && { extras: readExtras(body, tools, searchesByItself) }),
  }
}

const readRegion = ({ inference_geo }: JsonObject): string | undefined =>
  inference_geo === 'global' ? undefined : asString(inference_geo)

function readExtras(body: JsonObject, tools: readonly ServerTool[], searchesByItself: boolean): ExtraUsage {
  const limit = asCount(body.max_tool_calls) || USES_MAX
  let webSearches = searchesByItself ? 1 : 0
  const toolCalls: Record<string, number> = {}
  const toolImages: ToolImages[] = []
  for (const tool of tools)
    if (tool.name === 'web_search') webSearches += usesOf(tool, limit, SEARCHES_MAX)
    else if (tool.name === 'image_generation') toolImages.push(toImages(tool))
    else
      toolCalls[tool.name] = usesOf(
        tool,
        limit,
        tool.name === 'code_interpreter' ? CONTAINERS_MAX : CALLS_MAX,
      )
  return {
    ...(webSearches > 0 && { webSearches: Math.min(webSearches, USES_MAX), searchContext: 'high' }),
    toolCalls,
    toolImages,
  }
}

const usesOf = ({ entry }: ServerTool, limit: number, usual: number): number =>
  Math.min(asCount(entry.max_uses) || usual, limit, USES_MAX)

const toImages = ({ entry }: ServerTool): ToolImages => ({
  model: asString(entry.model) ?? DEFAULT_IMAGE_MODEL,
  count: IMAGES_MAX,
  size: asString(entry.size),
  quality: asString(entry.quality),
})

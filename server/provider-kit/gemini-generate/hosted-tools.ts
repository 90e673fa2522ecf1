import type { HostedToolSupport, MappedHostedTool } from '../contract/hosted-tool.ts'
import type { JsonObject } from '../json.ts'

/** Models of the first generations have other tools or none. */
const WITH_TOOLS = /^gemini-(?!1|2\.0-flash-lite|.*image)/
const WITH_URLS = /^gemini-(?!1|2\.0|.*image)/

/** Models that search and read pages beside functions and JSON. */
const WITH_COMBINATIONS = /^gemini-(?![12]\b|.*image)/

/** Vertex AI and older models reject these tools beside functions and JSON. */
export const GEMINI_TOOLS: readonly HostedToolSupport[] = [
  { tool: 'web_search', models: WITH_TOOLS, isAlone: true },
  { tool: 'web_fetch', models: WITH_URLS, isAlone: true },
  { tool: 'code_execution', models: WITH_TOOLS, isAlone: true },
  { tool: 'file_search', models: WITH_TOOLS, isNativeOnly: true },
  { tool: 'computer_use', models: WITH_TOOLS, isNativeOnly: true },
  { tool: 'maps', models: WITH_TOOLS, isNativeOnly: true },
  { tool: 'mcp', models: WITH_TOOLS, isNativeOnly: true },
]

/** Source: ai.google.dev/gemini-api/docs/tool-combination */
export const GEMINI_API_TOOLS: readonly HostedToolSupport[] = [
  { tool: 'web_search', models: WITH_COMBINATIONS },
  { tool: 'web_fetch', models: WITH_COMBINATIONS },
  ...GEMINI_TOOLS,
]

const FIELD_OF: Readonly<Partial<Record<MappedHostedTool['name'], string>>> = {
  web_search: 'googleSearch',
  web_fetch: 'urlContext',
  code_execution: 'codeExecution',
}

/** Domains, places and limits have no counterpart in the Gemini API. */
export const toGeminiHostedTools = (tools: readonly MappedHostedTool[] = []): readonly JsonObject[] =>
  tools.flatMap(({ name }) => {
    const field = FIELD_OF[name]
    return field === undefined ? [] : { [field]: {} }
  })

import {
  HOSTED_TOOL_NAMES,
  type HostedToolName,
  type HostedToolSupport,
} from '#server/provider-kit/contract/hosted-tool.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'

/** One line of the table: a provider, or one family of the models that it hosts. */
interface ToolRow {
  readonly name: string
  readonly provider: Provider
  /** A model that stands for all of the line. */
  readonly model: string
}

/** Providers that host models of several formats, and a model of each. */
const FAMILIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Vertex AI': { Claude: 'claude-sonnet-4-5', Gemini: 'gemini-2.5-pro' },
}

export const toRows = (provider: Provider): readonly ToolRow[] => {
  const families = FAMILIES[provider.name]
  return families
    ? Object.entries(families).map(([family, model]) => ({
        name: `${provider.name}: ${family}`,
        provider,
        model,
      }))
    : [{ name: provider.name, provider, model: provider.models[0] ?? 'any-model' }]
}

const hasTool = (tool: HostedToolName, model: string, supported: readonly HostedToolSupport[]) =>
  supported.filter(support => support.tool === tool && (support.models?.test(model) ?? true))

/** The word of one cell. */
export function toCell({ provider, model }: ToolRow, tool: HostedToolName): string {
  const found = hasTool(tool, model, provider.chat?.hostedTools ?? [])
  const [mapped] = found.filter(({ isNativeOnly }) => !isNativeOnly)
  if (mapped) return mapped.isAlone ? 'mapped¹' : 'mapped'
  return found.length > 0 ? 'native' : 'dropped'
}

/** The words of the table in the Chinese page. */
const WORDS_ZH: Readonly<Record<string, string>> = {
  tool: '工具',
  'all others': '其他',
  native: '原生',
  mapped: '转换',
  'mapped¹': '转换¹',
  dropped: '去除',
}

/** The table of `docs/reference/tools.md`, or that of the page in Chinese. Providers without any hosted tool share its last column. */
export function toToolTable(providers: readonly Provider[], isChinese: boolean): string {
  const rows = providers.filter(({ chat }) => chat).flatMap(toRows)
  const known = rows.filter(({ provider }) => provider.chat?.hostedTools)
  const nameOf = ({ name, provider }: ToolRow): string =>
    isChinese && provider.nameZh ? name.replace(provider.name, provider.nameZh) : name
  const wordOf = (word: string): string => (isChinese ? WORDS_ZH[word] : undefined) ?? word
  const line = (cells: readonly string[]): string => `| ${cells.map(wordOf).join(' | ')} |`
  return [
    line(['tool', ...known.map(nameOf), 'all others']),
    line(['---', ...known.map(() => '---'), '---']),
    ...HOSTED_TOOL_NAMES.map(tool =>
      line([`\`${tool}\``, ...known.map(row => toCell(row, tool)), 'dropped']),
    ),
  ].join('\n')
}

import type { Agent, PinnedPackage, Workspace } from '../agent.ts'
import { driverActions, driverCommand, driverEnvironment } from '../sdk-agent.ts'

const aiSdk = (major: number, packages: Readonly<Record<string, string>>): Agent => ({
  name: `ai-sdk-${major}`,
  title: `AI SDK ${major}`,
  packages: Object.entries(packages).map(
    ([name, version]): PinnedPackage => ({ registry: 'npm', name, version }),
  ),
  otherModels: [],
  configure: driverEnvironment,
  command: (workspace, turn) => driverCommand('node', 'ai-sdk.mjs', workspace, turn),
  actions: workspace => ({ ...driverActions, search: searchOf(workspace) }),
  repeatsUnpaid:
    'the SDK repeats every 429, whatever its reason, after 2 and 4 s, as with the provider itself',
  lacks: {
    compaction: 'the SDK leaves it to the program to shorten its conversation',
    'default-model': 'a program names the model',
  },
})

const searchOf = ({ kind }: Workspace) => {
  if (kind === 'custom') return { lacks: 'the package for OpenAI-compatible providers has no search' }
  return kind === 'gemini'
    ? (query: string) => [{ tool: 'search_web', arguments: { query } }]
    : ('hosted' as const)
}

/** Source: ai-sdk.dev/docs/agents */
export const aiSdk5: Agent = {
  ...aiSdk(5, {
    ai: '5.0.277',
    '@ai-sdk/openai': '2.0.130',
    '@ai-sdk/anthropic': '2.0.112',
    '@ai-sdk/google': '2.0.108',
    '@ai-sdk/openai-compatible': '1.0.61',
    zod: '4.6.7',
  }),
  defect: {
    providerError: /maximum context length/,
    note: 'the package overlooks the documented error event in a stream of the Responses API, and ends without a word',
  },
}

export const aiSdk6 = aiSdk(6, {
  ai: '6.0.325',
  '@ai-sdk/openai': '3.0.141',
  '@ai-sdk/anthropic': '3.0.140',
  '@ai-sdk/google': '3.0.141',
  '@ai-sdk/openai-compatible': '2.0.92',
  zod: '4.6.7',
})

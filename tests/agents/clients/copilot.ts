import { type Agent, MODELS, patchOf } from '../agent.ts'

/** On chat completions, its default. Source: `copilot help providers` */
export const copilot: Agent = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  packages: [{ registry: 'npm', name: '@github/copilot', version: '1.0.102' }],
  otherModels: [],
  lacks: { 'default-model': 'with a provider of one’s own it must be told the model' },
  configure: ({ gateway, key, model, usesDefaultModel, clients }) => ({
    COPILOT_OFFLINE: 'true',
    // It unpacks itself with every new home.
    COPILOT_PKG_CACHE_HOME: `${clients}/cache`,
    COPILOT_PROVIDER_BASE_URL: `${gateway}/v1`,
    COPILOT_PROVIDER_API_KEY: key,
    ...(!usesDefaultModel && { COPILOT_MODEL: model }),
  }),
  command: ({ clients, mcpServer: [command, ...args] = [''] }, { prompt, isResumed, image }) => [
    `${clients}/node_modules/.bin/copilot`,
    '--allow-all',
    '--disable-builtin-mcps',
    ...(command
      ? [
          '--additional-mcp-config',
          JSON.stringify({ mcpServers: { notes: { command, args, tools: ['*'] } } }),
        ]
      : []),
    ...(isResumed ? ['--continue'] : []),
    ...(image ? ['--attachment', image] : []),
    '--prompt',
    prompt,
  ],
  actions: ({ model }) => ({
    edit: ({ path, before, after }) => [
      [
        // A custom tool, for models of OpenAI.
        model === MODELS.openai
          ? { tool: 'apply_patch', arguments: patchOf(path, before, after) }
          : { tool: 'edit', arguments: { path, old_str: before, new_str: after } },
      ],
    ],
    run: command => ({ tool: 'bash', arguments: { command, description: 'Runs a command' } }),
    delegate: prompt => [
      [
        {
          tool: 'task',
          arguments: { description: 'A part', prompt, agent_type: 'general-purpose', name: 'part' },
        },
      ],
    ],
    callMcp: (tool, args) => [[{ tool: `notes-${tool}`, arguments: args }]],
    search: { lacks: 'it searches with a service of its own, not with the provider' },
  }),
}

import { join } from 'node:path'
import { type Agent, ATTEMPTS, NESTED_TYPE } from '../agent.ts'

/** Source: code.claude.com/docs/en/cli-reference and /settings */
export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  packages: [{ registry: 'npm', name: '@anthropic-ai/claude-code', version: '2.1.332' }],
  otherModels: [],
  configure: ({ gateway, key, model, usesDefaultModel, givesUpEarly }) => ({
    ANTHROPIC_BASE_URL: gateway,
    ANTHROPIC_AUTH_TOKEN: key,
    ...(!usesDefaultModel && { ANTHROPIC_MODEL: model, ANTHROPIC_DEFAULT_HAIKU_MODEL: model }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ...(givesUpEarly && { CLAUDE_CODE_MAX_RETRIES: String(ATTEMPTS - 1) }),
    // Allows running without confirmation as root, as in a container.
    IS_SANDBOX: '1',
  }),
  command: ({ clients, mcpServer: [command, ...args] = [''] }, { prompt, isResumed }) => [
    join(clients, 'node_modules/.bin/claude'),
    '--dangerously-skip-permissions',
    ...(command ? ['--mcp-config', JSON.stringify({ mcpServers: { notes: { command, args } } })] : []),
    ...(isResumed ? ['--continue'] : []),
    '--print',
    prompt,
  ],
  actions: () => ({
    edit: ({ path, before, after }) => [
      [{ tool: 'Read', arguments: { file_path: path } }],
      [{ tool: 'Edit', arguments: { file_path: path, old_string: before, new_string: after } }],
    ],
    run: command => ({ tool: 'Bash', arguments: { command, description: 'Runs a command' } }),
    delegate: prompt => [
      [{ tool: 'Agent', arguments: { description: 'A part', prompt, [NESTED_TYPE]: 'general-purpose' } }],
    ],
    // Tools that are seldom used are declared once the model has looked for them.
    search: query => [
      { tool: 'ToolSearch', arguments: { query: 'select:WebSearch', max_results: 1 } },
      { tool: 'WebSearch', arguments: { query } },
    ],
    look: image => ({ tool: 'Read', arguments: { file_path: image } }),
    callMcp: (tool, args) => [
      [{ tool: 'ToolSearch', arguments: { query: `select:mcp__notes__${tool}`, max_results: 1 } }],
      [{ tool: `mcp__notes__${tool}`, arguments: args }],
    ],
  }),
  compactPrompt: '/compact',
}

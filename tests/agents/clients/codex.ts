import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, MODELS, patchOf, type Workspace } from '../agent.ts'

const COMPACT_AT_TOKENS = 9_000

/** Source: developers.openai.com/codex/config-reference */
export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  packages: [{ registry: 'npm', name: '@openai/codex', version: '0.171.0' }],
  otherModels: [],
  configure(workspace) {
    const folder = join(workspace.home, '.codex')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.toml'), configuration(workspace))
    return { TOLLGATE_API_KEY: workspace.key, CODEX_HOME: folder }
  },
  command: ({ clients, compactsEarly }, { prompt, isResumed, image }) => [
    join(clients, 'node_modules/.bin/codex'),
    'exec',
    ...(isResumed ? ['resume', '--last'] : []),
    // Not in the first start, which would compact again and again.
    ...(compactsEarly && isResumed
      ? ['--config', `model_auto_compact_token_limit=${COMPACT_AT_TOKENS}`]
      : []),
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...(image ? [`--image=${image}`] : []),
    prompt,
  ],
  actions: ({ model }) => ({
    edit: ({ path, before, after }) => {
      const patch = patchOf(path, before, after)
      // It offers the tool for models that it knows, and takes the patch as a command for others.
      return [
        [
          model === MODELS.openai
            ? { tool: 'apply_patch', arguments: patch }
            : run(`apply_patch <<'EOF'\n${patch}EOF`),
        ],
      ]
    },
    run,
    delegate: (prompt, path) => [
      ...(model === MODELS.openai
        ? [[{ tool: 'tool_search', arguments: { query: 'spawn_agent multi agent' } }]]
        : []),
      [{ tool: 'spawn_agent', arguments: { message: prompt } }],
      [run(`for i in $(seq 100); do test -f ${path} && break; sleep 0.1; done; sleep 1`)],
    ],
    search: 'hosted',
    // With models that it knows, it offers tools of MCP servers only after a search.
    callMcp: (tool, args) => [
      ...(model === MODELS.openai ? [[{ tool: 'tool_search', arguments: { query: 'note' } }]] : []),
      [{ tool, arguments: args }],
    ],
  }),
}

const run = (command: string) => ({ tool: 'exec_command', arguments: { cmd: command } })

/** JSON strings are TOML strings. */
const configuration = ({
  gateway,
  model,
  usesDefaultModel,
  mcpServer: [program, ...args] = [''],
}: Workspace): string => `${usesDefaultModel ? '' : `model = ${JSON.stringify(model)}`}
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${JSON.stringify(`${gateway}/v1`)}
env_key = "TOLLGATE_API_KEY"
wire_api = "responses"
${
  program
    ? `
[mcp_servers.notes]
command = ${JSON.stringify(program)}
args = ${JSON.stringify(args)}
`
    : ''
}`

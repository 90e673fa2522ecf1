import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { type AgentActions, type AgentCall, type AgentTurn, ATTEMPTS, type Workspace } from './agent.ts'

const DRIVERS = join(PROJECT, 'tests', 'agents', 'drivers')
const COMPACT_AT_TOKENS = 4_000

/** What the driver of an SDK reads from its environment. */
export const driverEnvironment = (workspace: Workspace): Readonly<Record<string, string>> => ({
  GATEWAY_URL: workspace.gateway,
  GATEWAY_KEY: workspace.key,
  ...(!workspace.usesDefaultModel && { MODEL: workspace.model }),
  PROVIDER: workspace.kind,
  ...(workspace.givesUpEarly && { ATTEMPTS: String(ATTEMPTS) }),
  ...(workspace.compactsEarly && { COMPACT_AT_TOKENS: String(COMPACT_AT_TOKENS) }),
})

/** The start of a driver, a program with the SDK. */
export const driverCommand = (
  program: string,
  driver: string,
  { clients }: Workspace,
  { prompt, isResumed, image }: AgentTurn,
): readonly string[] => [
  program,
  join(DRIVERS, driver),
  `--clients=${clients}`,
  ...(isResumed ? ['--resume'] : []),
  ...(image ? [`--image=${image}`] : []),
  prompt,
]

const call = (tool: string, args: object): AgentCall => ({ tool, arguments: args })

/** The tools that every driver offers. */
export const driverActions: Omit<AgentActions, 'search'> = {
  edit: file => [[call('edit_file', file)]],
  run: command => call('run_command', { command }),
  delegate: prompt => [[call('delegate', { prompt })]],
}

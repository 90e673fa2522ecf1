import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import type { Agent, AgentTurn, ChannelKind } from './agent.ts'
import { type CellSite, startCellSite } from './cell-site.ts'
import { runAgentProcess } from './start-process.ts'
import { type AgentTask, NOTE, type Outcome } from './tasks.ts'

const TURN_TIMEOUT_MS = 90_000

export interface Cell {
  readonly agent: Agent
  readonly kind: ChannelKind
  readonly task: AgentTask
}

/** Runs one agent through one task on one kind of channel, with a gateway, a home and a folder of its own. */
export async function runCell({ agent, kind, task }: Cell, clients: string): Promise<Outcome> {
  const reason = agent.lacks?.[task.name] ?? agent.lacks?.[`${kind} ${task.name}`]
  if (reason !== undefined) return { status: 'lacking', note: reason }
  const site = await startCellSite({ agent, kind, ...task.site })
  const temporary = makeTemporaryFolder()
  const [home, folder] = ['home', 'work'].map(name => join(temporary.path, name)) as [string, string]
  for (const path of [home, folder]) mkdirSync(path)
  const workspace = {
    home,
    folder,
    clients,
    gateway: site.url,
    key: site.key,
    model: site.model,
    kind,
    usesDefaultModel: task.usesDefaultModel ?? false,
    compactsEarly: task.compactsEarly ?? false,
    givesUpEarly: task.givesUpEarly ?? false,
    ...(task.hasMcpServer && { mcpServer: mcpServerFor(folder) }),
  }
  const environment = { PATH: process.env.PATH ?? '', HOME: home, ...agent.configure(workspace) }
  const run = (turn: AgentTurn, interruptWhen?: () => boolean) =>
    runAgentProcess({
      interruptWhen,
      command: agent.command(workspace, turn),
      folder,
      environment,
      timeoutMs: task.timeoutMs ?? TURN_TIMEOUT_MS,
    })
  try {
    const outcome = await task.perform({ agent, kind, site, folder, actions: agent.actions(workspace), run })
    return outcome.status === 'failed' ? ((await findDefect(agent, site)) ?? outcome) : outcome
  } catch (cause) {
    return { status: 'failed', note: String(cause) }
  } finally {
    await site.stop()
    temporary.remove()
  }
}

/** The server of the task writes its note into the folder. */
const mcpServerFor = (folder: string): readonly [string, ...string[]] => [
  'node',
  join(PROJECT, 'tests', 'agents', 'drivers', 'mcp-server.mjs'),
  join(folder, NOTE),
]

/** A failure that the agent's own provider would cause, too. */
async function findDefect({ defect }: Agent, site: CellSite): Promise<Outcome | undefined> {
  if (!defect) return undefined
  const rows = await site.listLogRows()
  const isRejected = rows.some(({ content }) => defect.providerError.test(content))
  return isRejected ? { status: 'lacking', note: defect.note } : undefined
}

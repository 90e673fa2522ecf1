import { z } from 'zod'
import type { FaultPlan, PlaybookCall } from './fault-plan.ts'
import type { OfferedTool, PlaybookPosition, PlaybookRequest } from './playbook-request.ts'
import { parseScenario, type ScenarioResult } from './scenario.ts'

const TURNS_MAX = 64
const CALLS_MAX = 32
const PLAYBOOKS_MAX = 512

const Call = z.strictObject({ tool: z.string(), arguments: z.unknown() })

const PlaybookTurn = z.strictObject({
  text: z.string().optional(),
  /** A search by the provider before the text, for clients that offer it. */
  search: z.string().optional(),
  calls: z.array(Call).max(CALLS_MAX).optional(),
  /** A scenario that applies to this turn. */
  faults: z.string().optional(),
})
type PlaybookTurn = z.infer<typeof PlaybookTurn>

/** What the lab says in each turn of an agent's conversation. */
const Playbook = z.strictObject({ turns: z.array(PlaybookTurn).min(1).max(TURNS_MAX) })
type Playbook = z.infer<typeof Playbook>

/** An entry of a conversation, in the order of the messages. */
export type HistoryEntry = { readonly userText: string } | 'tool-result'

const MARKER_START = '[playbook:'
const MARKER = /\[playbook:([\w-]{1,64})\]/g

/** The last message of the user with the marker `[playbook:NAME]` decides. */
export function findPlaybook(history: readonly HistoryEntry[]): PlaybookPosition | undefined {
  let results = 0
  for (const entry of history.toReversed()) {
    if (entry === 'tool-result') results += 1
    else if (entry.userText.includes(MARKER_START)) {
      const name = [...entry.userText.matchAll(MARKER)].at(-1)?.[1]
      if (name !== undefined) return { name, results }
    }
  }
  return undefined
}

/** The part of a request that is about playbooks. */
export const playbookOf = ({
  playbook,
  tools,
}: {
  readonly playbook?: PlaybookPosition | undefined
  readonly tools: readonly OfferedTool[]
}): { readonly playbook: PlaybookRequest | undefined } => ({ playbook: playbook && { ...playbook, tools } })

/** The playbooks of a lab by name. */
export type Playbooks = Map<string, Playbook>

/** Stores a playbook. Returns the problem when it is invalid, and then changes nothing. */
export function storePlaybook(playbooks: Playbooks, name: string, json: unknown): string | undefined {
  const { data, error } = Playbook.safeParse(json)
  if (!data) return z.prettifyError(error)
  if (playbooks.size >= PLAYBOOKS_MAX && !playbooks.has(name))
    return `the lab has ${PLAYBOOKS_MAX} playbooks already`
  playbooks.set(name, data)
  return undefined
}

/** Adds the turn of the playbook to a plan. A client that lacks the tools of the turn gets the last one. */
export function applyPlaybook(
  faultPlan: FaultPlan,
  playbooks: Playbooks,
  { name, results, tools }: PlaybookRequest,
): ScenarioResult {
  const turns = playbooks.get(name)?.turns
  if (!turns) return { problem: `the lab has no playbook '${name}'` }
  const { turn, done } = findTurn(turns, results)
  const calls = (turn.calls ?? []).slice(done)
  if (!calls.every(call => findCalledTool(tools, call))) return withTurn(faultPlan, turns.at(-1) ?? turn, [])
  return withTurn(faultPlan, turn, calls)
}

/** Providers without namespaces get the tools of a namespace with qualified names. */
export const findCalledTool = (
  tools: readonly OfferedTool[],
  { tool }: PlaybookCall,
): OfferedTool | undefined =>
  tools.find(({ name }) => name === tool) ?? tools.find(({ name }) => name.endsWith(`__${tool}`))

/** The turn whose calls are not all done, else the first without calls after them. */
function findTurn(
  turns: readonly PlaybookTurn[],
  results: number,
): { readonly turn: PlaybookTurn; readonly done: number } {
  let left = results
  for (const turn of turns) {
    const calls = turn.calls?.length ?? 0
    if (left < calls || (left === 0 && calls === 0)) return { turn, done: left }
    left -= calls
  }
  return { turn: turns.at(-1) ?? {}, done: turns.at(-1)?.calls?.length ?? 0 }
}

function withTurn(faultPlan: FaultPlan, turn: PlaybookTurn, calls: readonly PlaybookCall[]): ScenarioResult {
  const changed = { ...faultPlan, playbook: { text: turn.text, calls } }
  return turn.faults === undefined ? { faultPlan: changed } : parseScenario(changed, turn.faults)
}

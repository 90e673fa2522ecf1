import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { type Agent, CHANNEL_KINDS, type ChannelKind } from './agent.ts'
import { AGENTS, FURTHER_AGENTS, MAIN_AGENTS } from './agents.ts'
import type { Cell } from './run-cell.ts'
import { type AgentTask, ALL_TASKS, END_TASKS, type Outcome, TASKS } from './tasks.ts'

const RESULTS = join(PROJECT, 'tests', 'agents', 'results.json')
export const DOCUMENT = join(PROJECT, 'docs', 'reference', 'agents.md')

/** The latest outcome of every cell, by agent, kind of channel and task. */
export type Results = Record<string, Outcome>

const keyOf = ({ agent, kind, task }: Cell): string => `${agent.name} ${kind} ${task.name}`

/** Safe cast: only this file writes the results. */
export const readResults = (): Results => JSON.parse(readFileSync(RESULTS, 'utf8')) as Results

/** Stores one more outcome, and writes the document anew. */
export function recordOutcome(results: Results, cell: Cell, outcome: Outcome): void {
  results[keyOf(cell)] = outcome
  const sorted = Object.fromEntries(
    Object.entries(results).sort(([one], [other]) => one.localeCompare(other)),
  )
  writeFileSync(RESULTS, `${JSON.stringify(sorted, undefined, 2)}\n`)
  writeFileSync(DOCUMENT, renderDocument(results))
}

/** The page of these outcomes. */
export function renderDocument(results: Results): string {
  return `# Agents

Coding agents that run through Tollgate on channels of every kind. \`npm run test:agents\` installs the versions below, runs each through each task
against the [fault lab](faults.md) and writes this page; it is not part of \`npm test\`. Options select cells:
\`npm run test:agents -- --agent codex --channel gemini --task compaction\`.

Of ${sumUp(results, MAIN_AGENTS)}
Of the [further agents and SDKs](#further-agents-and-sdks), of ${sumUp(results, FURTHER_AGENTS)}

| Agent | Packages |
|---|---|
${AGENTS.map(agent => `| ${agent.title} | ${packagesOf(agent)} |`).join('\n')}

## Tasks

A task passes when the agent ends by itself with its usual exit code and the last text of the model, its files are as they should be, the provider
accepted every request, and every request is charged.

| Task | What the agent does |
|---|---|
${TASKS.map(task => `| ${task.title} | ${task.says} |`).join('\n')}

${MAIN_AGENTS.map(agent => renderAgent(results, agent, '##')).join('\n\n')}

## Further agents and SDKs

${FURTHER_AGENTS.map(agent => renderAgent(results, agent, '###')).join('\n\n')}

## Errors that end a run

The agent prints the reason, nothing is charged, and it ends within 5 s, with the retries that it has by default. The figures are the time from the
gateway's first response to the request that ends the run, retries included, to the end of the process.

| Agent | Channel | ${ENDS.map(({ title }) => title).join(' | ')} |
|---|---|${'---|'.repeat(ENDS.length)}
${AGENTS.flatMap(agent => CHANNEL_KINDS.map(kind => renderEnds(results, agent, kind))).join('\n')}

What they print, with the figures of one channel:

| Agent | Error | Text |
|---|---|---|
${AGENTS.flatMap(agent => ENDS.map(task => renderTexts(results, agent, task))).join('\n')}

Gemini CLI adds "An unexpected critical error occurred:[object Object]" after every error of a provider, Google's own included.
`
}

const ENDS = ALL_TASKS.filter(task => task.name === 'budget-spent' || END_TASKS.includes(task))

function sumUp(results: Results, agents: readonly Agent[]): string {
  const cells = listCells(agents, CHANNEL_KINDS, TASKS)
  const { succeeded, lacking, failed } = countOutcomes(cells.map(cell => results[keyOf(cell)]))
  const missing = cells.length - succeeded - lacking - failed
  return `${cells.length} cells, ${succeeded} pass, ${lacking} are not possible with the agent or the provider, ${missing} have not been run, and ${failed} fail.`
}

function renderAgent(results: Results, agent: Agent, level: string): string {
  const notes: string[] = []
  const rows = TASKS.map(task => {
    const outcomes = CHANNEL_KINDS.map(kind => results[keyOf({ agent, kind, task })])
    return `| ${task.title} | ${outcomes.map(outcome => renderOutcome(outcome, notes)).join(' | ')} |`
  })
  const list = notes.map((note, index) => `${index + 1}. ${note}`).join('\n')
  return `${level} ${agent.title}

| Task | ${CHANNEL_KINDS.map(kind => KIND_TITLES[kind]).join(' | ')} |
|---|---|---|---|---|
${rows.join('\n')}${list && `\n\n${list}`}`
}

const KIND_TITLES: Readonly<Record<ChannelKind, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  custom: 'OpenAI-compatible',
}

function renderOutcome(outcome: Outcome | undefined, notes: string[]): string {
  if (!outcome) return 'not run'
  if (outcome.status === 'succeeded') return 'passed'
  if (!notes.includes(outcome.note)) notes.push(outcome.note)
  return `${outcome.status === 'failed' ? '**failed**' : 'not possible'} (${notes.indexOf(outcome.note) + 1})`
}

function renderEnds(results: Results, agent: Agent, kind: ChannelKind): string {
  const outcomes = ENDS.map(task => results[keyOf({ agent, kind, task })])
  const cells = outcomes.map(outcome =>
    outcome?.status === 'succeeded'
      ? (outcome.note?.split(':')[0] ?? 'passed')
      : ((outcome && OUTCOME_TITLES[outcome.status]) ?? 'not run'),
  )
  return `| ${agent.title} | ${KIND_TITLES[kind]} | ${cells.join(' | ')} |`
}

const OUTCOME_TITLES: Readonly<Record<Outcome['status'], string>> = {
  succeeded: 'passed',
  lacking: 'not possible',
  failed: '**failed**',
}

/** The texts of an error on all channels, each once: they differ in their figures, and in the words of the providers. */
function renderTexts(results: Results, agent: Agent, task: AgentTask): string {
  const texts = new Map<string, string>()
  for (const kind of CHANNEL_KINDS) {
    const outcome = results[keyOf({ agent, kind, task })]
    const text = outcome?.status === 'succeeded' ? outcome.note?.split(': ').slice(1).join(': ') : undefined
    if (text) texts.set(text.replace(/\d+/g, '0'), text)
  }
  const cell = [...texts.values()].map(text => `\`${text.replaceAll('|', '\\|')}\``).join('<br>')
  return `| ${agent.title} | ${task.title} | ${cell} |`
}

const packagesOf = ({ packages }: Agent): string =>
  packages.map(({ name, version }) => `\`${name}\` ${version}`).join(', ')

/** Every combination, in the order of the document. */
export const listCells = (
  agents: readonly Agent[],
  kinds: readonly ChannelKind[],
  tasks: readonly AgentTask[],
): readonly Cell[] =>
  agents.flatMap(agent => kinds.flatMap(kind => tasks.map(task => ({ agent, kind, task }))))

export function countOutcomes(
  outcomes: readonly (Outcome | undefined)[],
): Readonly<Record<Outcome['status'], number>> {
  const count = (status: Outcome['status']) => outcomes.filter(outcome => outcome?.status === status).length
  return { succeeded: count('succeeded'), lacking: count('lacking'), failed: count('failed') }
}

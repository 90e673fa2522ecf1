import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_TYPE } from '#contract/enums.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { type Agent, type AgentActions, type AgentTurn, type ChannelKind, MODELS } from './agent.ts'
import type { CellOptions, CellSite, PlaybookTurn } from './cell-site.ts'
import { findSentence, seconds, tail } from './sentences.ts'
import type { AgentRun } from './start-process.ts'

/** What a task of an agent came to. */
export type Outcome =
  | { readonly status: 'succeeded'; readonly note?: string }
  /** Something that the agent or the provider does not have. */
  | { readonly status: 'lacking'; readonly note: string }
  | { readonly status: 'failed'; readonly note: string }

export interface TaskContext {
  readonly agent: Agent
  readonly kind: ChannelKind
  readonly site: CellSite
  readonly folder: string
  readonly actions: AgentActions
  /** `interruptWhen`: as its user presses Ctrl-C. */
  run(turn: AgentTurn, interruptWhen?: () => boolean): Promise<AgentRun>
}

export interface AgentTask {
  readonly name: string
  readonly title: string
  /** One line for the document. */
  readonly says: string
  readonly site?: Partial<CellOptions>
  readonly compactsEarly?: boolean
  readonly givesUpEarly?: boolean
  readonly timeoutMs?: number
  readonly hasMcpServer?: true
  readonly usesDefaultModel?: true
  perform(context: TaskContext): Promise<Outcome>
}

const SUCCESS: Outcome = { status: 'succeeded' }
const failed = (note: string): Outcome => ({ status: 'failed', note })
const PROMPT = (name: string) => `Please do this. [playbook:${name}]`
const ENDS_WITHIN_MS = 5_000
const ENDED_LATE = 'it ended after'

const editFile: AgentTask = {
  name: 'edit-file',
  title: 'edit a file',
  says: 'changes a line of a file with its own tool',
  async perform(context) {
    const { folder, actions } = context
    const path = join(folder, 'colour.txt')
    writeFileSync(path, 'colour = red\n')
    const file = { path, before: 'colour = red', after: 'colour = blue' }
    const written = actions.editText?.({ ...file, path: 'colour.txt' })
    const problem = await follow(context, 'edit', [
      ...actions.edit(file).map(calls => ({ calls })),
      say(written ?? 'The colour is blue.'),
    ])
    return toOutcome(problem ?? expectFile(path, 'colour = blue\n'))
  },
}

const parallelCalls: AgentTask = {
  name: 'parallel-calls',
  title: 'parallel calls',
  says: 'gets three calls in one response and executes all',
  async perform(context) {
    const names = ['one', 'two', 'three']
    const calls = names.map(name => context.actions.run(`echo ${name} > ${join(context.folder, name)}`))
    const problem = await follow(context, 'parallel', [
      { text: 'Three files.', calls },
      say('All three are there.'),
    ])
    const missing = names.map(name => expectFile(join(context.folder, name), `${name}\n`)).find(Boolean)
    return toOutcome(problem ?? missing)
  },
}

const failingTool: AgentTask = {
  name: 'failing-tool',
  title: 'failing tool',
  says: 'runs a command that fails, tells the model, and runs another',
  async perform(context) {
    const { actions, folder, site } = context
    const problem = await follow(context, 'failing', [
      { calls: [actions.run('echo broken >&2; exit 3')] },
      { calls: [actions.run(`echo recovered > ${join(folder, 'after')}`)] },
      say('It worked at the second attempt.'),
    ])
    const isReported = site.upstreamCalls.some(
      ({ body }) => body.includes('broken\\n') || body.includes('broken'),
    )
    return toOutcome(
      problem ??
        expectFile(join(folder, 'after'), 'recovered\n') ??
        (isReported ? undefined : 'the provider did not see the error of the tool'),
    )
  },
}

const LONG_WORDS = 4_000
const longOutput: AgentTask = {
  name: 'long-output',
  title: 'long output',
  says: 'prints a response of 4,000 words, complete',
  async perform(context) {
    const words = Array.from({ length: LONG_WORDS }, (_, index) => `word${index}`)
    const text = `${words.join(' ')} and the end of the long text.`
    await context.site.putPlaybook('long', [{ text }])
    const run = await context.run({ prompt: PROMPT('long') })
    const problem = await endProblem(context, run, 'end of the long text.')
    const printed = run.output.replace(/\s+/g, ' ')
    const missing = words.find(word => !printed.includes(`${word} `))
    return toOutcome(problem ?? (missing && `the output lacks ${missing}`))
  },
}

/** 8 × 8 pixels of red. */
export const RED_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'

const imageIn: AgentTask = {
  name: 'image-in',
  title: 'image in',
  says: 'sends an image, from its prompt or from a tool',
  async perform(context) {
    const { actions, folder, site } = context
    const path = join(folder, 'red.png')
    writeFileSync(path, Buffer.from(RED_PNG, 'base64'))
    const turns = [...(actions.look ? [{ calls: [actions.look(path)] }] : []), say('The image is red.')]
    await site.putPlaybook('image', turns)
    const run = await context.run({ prompt: PROMPT('image'), ...(!actions.look && { image: 'red.png' }) })
    const problem = await endProblem(context, run, 'The image is red.')
    const isSent = site.upstreamCalls.some(({ body }) => IMAGE.test(body))
    return toOutcome(problem ?? (isSent ? undefined : 'the provider did not get the image'))
  },
}
/** Agents may encode the image anew. */
const IMAGE = /iVBORw0KGgo|\/9j\/|UklGR/

const resume: AgentTask = {
  name: 'resume',
  title: 'resume',
  says: 'continues the conversation in a second process, with the tool results of the first',
  async perform(context) {
    const { actions, site } = context
    const first = [{ calls: [actions.run('echo remembered-figure-4711')] }, say('The first part is over.')]
    const problem =
      (await follow(context, 'first', first)) ??
      (await follow(context, 'second', [say('The second part is over.')], { isResumed: true }))
    const last = site.upstreamCalls.at(-1)?.body ?? ''
    // A provider that stores items gets their ids instead of their texts, and refuses an id that it does not know.
    const hasText = last.includes('The first part is over.') || last.includes('"item_reference"')
    const isKept = last.includes('remembered-figure-4711') && hasText
    return toOutcome(problem ?? (isKept ? undefined : 'the second start did not send the first conversation'))
  },
}

const LINES = 400
const LONG_COMMAND = `for i in $(seq ${LINES}); do echo "line $i of the long output of this command, number $i"; done`
const LONG_LINE = 'line 250 of the long output'

const compaction: AgentTask = {
  name: 'compaction',
  title: 'compaction',
  says: 'compacts a long conversation and continues with the summary',
  compactsEarly: true,
  async perform(context) {
    const { actions, agent, site } = context
    const first = [
      { calls: [actions.run(LONG_COMMAND)] },
      say('The summary: four hundred lines were printed.'),
    ]
    const problem = await follow(context, 'first', first)
    if (problem) return failed(problem)
    if (agent.compactPrompt) await context.run({ prompt: agent.compactPrompt, isResumed: true })
    const next = await follow(context, 'second', [say('The work goes on.')], { isResumed: true })
    const last = site.upstreamCalls.findLast(({ body }) => body.includes('[playbook:second]'))?.body ?? ''
    if (next) return failed(next)
    if (last.includes(LONG_LINE)) return failed('the conversation was not compacted')
    // A provider's own compaction is encrypted.
    const isSummarized = last.includes('four hundred lines') || last.includes('"type":"compaction"')
    return toOutcome(isSummarized ? undefined : 'the summary was lost')
  },
}

const webSearch: AgentTask = {
  name: 'web-search',
  title: 'web search',
  says: 'searches with the tool that the provider offers',
  async perform(context) {
    const { actions, site } = context
    const { search } = actions
    if (typeof search === 'object') return { status: 'lacking', note: search.lacks }
    await site.putPlaybook('results', [
      { search: 'height of the tower', text: 'The tower is 330 metres high.' },
    ])
    const turns =
      search === 'hosted'
        ? [{ search: 'height of the tower', text: 'The tower is 330 metres high.' }]
        : [
            ...search('height of the tower [playbook:results]').map(call => ({ calls: [call] })),
            say('The tower is 330 metres high.'),
          ]
    const problem = await follow(context, 'search', turns)
    if (problem) return failed(problem)
    const isRequested = site.upstreamCalls.some(({ body }) => HOSTED_SEARCH.test(body))
    if (isRequested) return SUCCESS
    return {
      status: 'lacking',
      note: 'the provider gets no search tool; the run ends with the text of the model',
    }
  },
}
const HOSTED_SEARCH = /"type":"web_search|"google_?[sS]earch"|"web_search_options"|"openrouter:web_search"/

const nestedAgent: AgentTask = {
  name: 'nested-agent',
  title: 'nested agent',
  says: 'gives a part to a nested agent, which writes a file',
  async perform(context) {
    const { actions, folder, site } = context
    const { delegate } = actions
    if (typeof delegate === 'string') return { status: 'lacking', note: delegate }
    const path = join(folder, 'nested')
    await site.putPlaybook('part', [
      { calls: [actions.run(`echo nested > ${path}`)] },
      ...(actions.completion ? [{ calls: [actions.completion('The part is done.')] }] : []),
      say('The part is done.'),
    ])
    const turns = delegate(PROMPT('part'), path).map(calls => ({ calls }))
    const problem = await follow(context, 'whole', [...turns, say('The whole is done.')])
    return toOutcome(problem ?? expectFile(path, 'nested\n'))
  },
}

const twoAccounts: AgentTask = {
  name: 'two-accounts',
  title: 'two accounts',
  says: 'stays with one of two accounts for two starts with reasoning',
  site: { keys: ['account-one', 'account-two'] },
  async perform(context) {
    const { actions, site } = context
    const think = { faults: 'reasoning-6' }
    const first = [
      { calls: [actions.run('echo 1')], ...think },
      { calls: [actions.run('echo 2')], ...think },
      { text: 'The first part is over.', ...think },
    ]
    const second = [
      { calls: [actions.run('echo 3')], ...think },
      { text: 'The second part is over.', ...think },
    ]
    const problem =
      (await follow(context, 'first', first)) ??
      (await follow(context, 'second', second, { isResumed: true }))
    const keys = new Set(
      site.upstreamCalls.filter(({ body }) => CALLED.test(body)).map(({ authorization }) => authorization),
    )
    return toOutcome(problem ?? (keys.size === 1 ? undefined : `the session used ${keys.size} accounts`))
  },
}

/** A request after a call, or with references to what the provider stores. */
const CALLED = /echo |"item_reference"/

/** The file in which the MCP server keeps its note. */
export const NOTE = 'note'

const mcp: AgentTask = {
  name: 'mcp',
  title: 'MCP server',
  says: 'finds and calls a tool of an MCP server, with the model name for which it knows most',
  site: { servedAs: MODELS.openai },
  hasMcpServer: true,
  async perform(context) {
    const { actions, folder } = context
    const calls = actions.callMcp?.('write_note', { note: 'noted' })
    if (!calls) return { status: 'lacking', note: 'these runs give it no MCP server' }
    const turns = calls.map(list => ({ calls: list }))
    const problem = await follow(context, 'mcp', [...turns, say('The note is written.')])
    return toOutcome(problem ?? expectFile(join(folder, NOTE), 'noted'))
  },
}

const defaultModel: AgentTask = {
  name: 'default-model',
  title: 'default model',
  says: 'is told no model: what it chooses has a price on a first start, and responds',
  site: { servesCatalogue: true },
  usesDefaultModel: true,
  async perform(context) {
    // Gemini CLI first lets a small model choose among the larger ones, and expects this text from it.
    const text = JSON.stringify({ complexity_reasoning: 'a greeting', complexity_score: 1 })
    return toOutcome(await follow(context, 'default', [say(text)]))
  },
}

const INTERRUPTED_AFTER_MS = 1_500
const INTERRUPTED_WITHIN_MS = 10_000
const SETTLED_WITHIN_MS = 40_000
const interrupt: AgentTask = {
  name: 'interrupt',
  title: 'Ctrl-C',
  says: 'is interrupted while the model writes; it ends at once, and what came is charged',
  async perform(context) {
    const { site } = context
    const text = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ')
    await site.putPlaybook('interrupt', [{ text, faults: 'pace-50' }])
    let atMs: number | undefined
    const run = await context.run({ prompt: PROMPT('interrupt') }, () => {
      const first = site.upstreamCalls.find(({ body }) => body.includes('[playbook:interrupt]'))
      const isDue = first !== undefined && performance.now() - first.atMs > INTERRUPTED_AFTER_MS
      if (isDue) atMs = Date.now()
      return isDue
    })
    if (atMs === undefined) return failed(`it ended before its interrupt: ${tail(run)}`)
    if (run.isTimedOut || run.endedMs - atMs > INTERRUPTED_WITHIN_MS)
      return failed(`${ENDED_LATE} ${seconds(run.endedMs - atMs)}`)
    // The response is read on for its figures.
    const wait = { description: 'a charge for what came', timeoutMs: SETTLED_WITHIN_MS }
    await waitUntil(wait, async () => {
      const rows = await site.listLogRows()
      return rows.some(row => row.type === LOG_TYPE.consumption && row.quota > 0)
    })
    return SUCCESS
  },
}

const BUDGET_UNITS = 20
const budgetSpent: AgentTask = {
  name: 'budget-spent',
  title: 'budget spent',
  says: 'starts with a token that cannot pay',
  site: { budget: BUDGET_UNITS },
  async perform(context) {
    await context.site.putPlaybook('budget', [say('This cannot be paid.')])
    const run = await context.run({ prompt: PROMPT('budget') })
    const outcome = await endedWithError(context, run, / left, the request needs|quota exceeded/i)
    const { repeatsUnpaid } = context.agent
    return outcome.status === 'failed' && outcome.note.startsWith(ENDED_LATE) && repeatsUnpaid
      ? { status: 'lacking', note: repeatsUnpaid }
      : outcome
  },
}

const upstreamDies: AgentTask = {
  name: 'upstream-dies',
  title: 'upstream dies',
  says: 'loses its provider after the first call; gives up after three attempts and says so, and the first call is charged',
  givesUpEarly: true,
  timeoutMs: 150_000,
  async perform(context) {
    const { actions, site } = context
    await site.putPlaybook('dies', [{ calls: [actions.run('echo alive')] }, { faults: 'reset' }])
    const run = await context.run({ prompt: PROMPT('dies') })
    if (run.isTimedOut) return failed(`it did not end within ${Math.round(run.ms / 1000)} s`)
    const sentence = findSentence(run, /the upstream/)
    if (!sentence) return failed(`it says: ${tail(run)}`)
    const rows = await site.listLogRows()
    const charged = rows.filter(row => row.type === LOG_TYPE.consumption)
    if (charged.some(row => row.quota <= 0) || charged.length === 0)
      return failed('the part before the failure is not charged')
    return { status: 'succeeded', note: `${seconds(run.ms)}: ${sentence}` }
  },
}

const unknownModel: AgentTask = {
  name: 'unknown-model',
  title: 'unknown model',
  says: 'asks for a model that nobody serves',
  site: { model: 'no-such-model' },
  async perform(context) {
    const run = await context.run({ prompt: 'Hello.' })
    return endedWithError(context, run, /selected model \(no-such-model\)|serves the model no-such-model/)
  },
}

const contextOverflow: AgentTask = {
  name: 'context-overflow',
  title: 'context overflow',
  says: 'sends more than the model accepts',
  async perform(context) {
    await context.site.putPlaybook('overflow', [{ faults: 'context-length' }])
    const run = await context.run({ prompt: PROMPT('overflow') })
    return endedWithError(
      context,
      run,
      /hit a token limit|prompt is too long|maximum context length|exceeds the maximum|out of room/i,
    )
  },
}

/** The tasks of every agent, and the two further ends that agents must reach at once. */
export const TASKS: readonly AgentTask[] = [
  editFile,
  parallelCalls,
  failingTool,
  longOutput,
  imageIn,
  resume,
  compaction,
  webSearch,
  nestedAgent,
  twoAccounts,
  mcp,
  defaultModel,
  interrupt,
  budgetSpent,
  upstreamDies,
]
export const END_TASKS: readonly AgentTask[] = [unknownModel, contextOverflow]
export const ALL_TASKS: readonly AgentTask[] = [...TASKS, ...END_TASKS]

const say = (text: string): PlaybookTurn => ({ text })
const toOutcome = (problem: string | undefined): Outcome => (problem ? failed(problem) : SUCCESS)

/** Lets the agent follow a playbook. Returns what is wrong about its end. */
async function follow(
  context: TaskContext,
  name: string,
  turns: readonly PlaybookTurn[],
  turn: Partial<AgentTurn> = {},
): Promise<string | undefined> {
  await context.site.putPlaybook(name, turns)
  const run = await context.run({ prompt: PROMPT(name), ...turn })
  return endProblem(context, run, turns.at(-1)?.text ?? '')
}

/** A good end has the code 0, prints the last text, and every request is charged. */
async function endProblem(
  { site }: TaskContext,
  run: AgentRun,
  lastText: string,
): Promise<string | undefined> {
  if (run.isTimedOut) return `it did not end within ${Math.round(run.ms / 1000)} s: ${tail(run)}`
  if (run.code !== 0) return `exit code ${run.code}: ${tail(run)}`
  if (!run.output.replace(/\s+/g, ' ').includes(lastText.replace(/\s+/g, ' ')))
    return `it did not print the last text: ${tail(run)}`
  const rows = await site.listLogRows()
  const bad = rows.find(row => row.type === LOG_TYPE.failure)
  if (bad) return `a request failed: ${bad.content.slice(0, 300)}`
  return rows.length > 0 && rows.every(row => row.quota > 0) ? undefined : 'a request was not charged'
}

/** The agent ends within the time, says why, and nothing is charged. */
async function endedWithError({ site }: TaskContext, run: AgentRun, reason: RegExp): Promise<Outcome> {
  if (run.isTimedOut) return failed(`it did not end within ${Math.round(run.ms / 1000)} s`)
  const sentence = findSentence(run, reason)
  if (!sentence) return failed(`it says: ${tail(run)}`)
  const rows = await site.listLogRows()
  if (rows.some(row => row.type === LOG_TYPE.consumption)) return failed('a rejected request was charged')
  const firstMs = site.lastRequestMs()
  if (firstMs === undefined) return failed('it ended without a request')
  const ms = run.endedMs - firstMs
  const note = `${seconds(ms)}: ${sentence}`
  return ms > ENDS_WITHIN_MS ? failed(`${ENDED_LATE} ${note}`) : { status: 'succeeded', note }
}

const expectFile = (path: string, content: string): string | undefined => {
  const found = existsSync(path) ? readFileSync(path, 'utf8') : 'no file'
  return found === content
    ? undefined
    : `expected ${JSON.stringify(content)} in ${path}, found ${JSON.stringify(found)}`
}

import { LOG_TYPE } from '#contract/enums.ts'
import { type LogEntry, listLogs } from '#features/logs/contract/logs.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { catalogueModels } from '#server/pricing/catalogue.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { startGateway } from '../harness/start-gateway.ts'
import { type Agent, type AgentCall, type ChannelKind, MODELS } from './agent.ts'
import { watchResponses } from './watch-responses.ts'

/** What the lab says in one turn. */
export interface PlaybookTurn {
  readonly text?: string
  readonly calls?: readonly AgentCall[]
  /** A search of the provider before the text. */
  readonly search?: string
  readonly faults?: string
}

/** A request as the upstream received it. */
interface UpstreamCall {
  readonly path: string
  readonly body: string
  readonly authorization: string
  readonly status: number
  readonly atMs: number
}

/** A gateway with the channels of one task, in front of a lab that records. */
export interface CellSite {
  readonly url: string
  readonly key: string
  readonly model: string
  readonly root: AdminClient
  readonly upstreamCalls: readonly UpstreamCall[]
  putPlaybook(name: string, turns: readonly PlaybookTurn[]): Promise<void>
  listLogRows(): Promise<readonly LogEntry[]>
  /** When the gateway first responded to the request that turned out to be the last, in milliseconds since 1970. */
  lastRequestMs(): number | undefined
  stop(): Promise<void>
}

export interface CellOptions {
  readonly agent: Agent
  readonly kind: ChannelKind
  /** One channel for each key. */
  readonly keys?: readonly string[]
  /** A scenario that applies to all channels. */
  readonly scenario?: string
  /** Units that the token may spend; unlimited by default. */
  readonly budget?: number
  /** The model that the agent is told to use; a served one by default. */
  readonly model?: string
  /** Another name for the model of the channel, by which the agent asks for it. */
  readonly servedAs?: string
  /** Serves all chat models of the catalogue, at the prices of a first start. */
  readonly servesCatalogue?: true
}

const ROWS_MAX = 100
const CHAT_MODELS = new Map([...catalogueModels].filter(([, { kind }]) => kind === 'chat'))
/** The makers of the models that a provider serves by their own names. */
const MAKERS: Readonly<Partial<Record<ChannelKind, string>>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
}

export async function startCellSite(options: CellOptions): Promise<CellSite> {
  const { agent, kind, keys = ['lab'], scenario, budget } = options
  const lab = recordingLab()
  const gateway = await startGateway()
  const watch = await watchResponses(gateway.url)
  const root = await gateway.signInAsRoot()
  const { servedAs = MODELS[kind], servesCatalogue } = options
  const others = servesCatalogue ? [...CHAT_MODELS.keys()] : [...agent.otherModels, servedAs]
  const models = [...new Set([MODELS[kind], ...others])]
  const isForeign = (name: string): boolean =>
    !servesCatalogue || CHAT_MODELS.get(name)?.vendor !== MAKERS[kind]
  const isRenamed = kind !== 'gemini' || servedAs !== MODELS[kind] || servesCatalogue
  if (!servesCatalogue)
    await setOptions(root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  const served = { url: lab.url, pid: 0, stop: async () => 0, [Symbol.asyncDispose]: async () => undefined }
  for (const key of keys)
    await addLabChannel(root, served, {
      provider: kind,
      models,
      name: `lab ${key}`,
      ...(scenario && { scenario }),
      draft: {
        key,
        ...(isRenamed && { model_mapping: toMapping(others.filter(isForeign), MODELS[kind]) }),
      },
    })
  const listLogRows = async () => {
    const { items } = await root.call(listLogs, { query: { p: 1, page_size: ROWS_MAX } })
    return items.filter(row => row.type === LOG_TYPE.consumption || row.type === LOG_TYPE.failure)
  }
  const { key } = await addToken(
    root,
    budget === undefined ? {} : { unlimited_quota: false, remain_quota: budget },
  )
  return {
    url: watch.url,
    key: `sk-${key}`,
    model: options.model ?? servedAs,
    root,
    upstreamCalls: lab.calls,
    putPlaybook: lab.putPlaybook,
    listLogRows,
    lastRequestMs: watch.lastRequestMs,
    async stop() {
      watch.stop()
      await Promise.all([gateway.stop(), lab.stop()])
    },
  }
}

/** Other providers serve what an agent asks of small models of its own provider with their model. */
const toMapping = (names: readonly string[], model: string): string =>
  JSON.stringify(Object.fromEntries(names.filter(name => name !== model).map(name => [name, model])))

/** A lab in this process that keeps what it receives. */
function recordingLab() {
  const lab = createLab()
  const calls: UpstreamCall[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const copy = request.clone()
      const atMs = performance.now()
      const response = await lab.fetch(request)
      if (request.method === 'POST')
        calls.push({
          path: new URL(request.url).pathname,
          body: await copy.text(),
          authorization: authorizationOf(request.headers),
          status: response.status,
          atMs,
        })
      return response
    },
  })
  return {
    url: server.url.origin,
    calls,
    async putPlaybook(name: string, turns: readonly PlaybookTurn[]) {
      const url = `${server.url.origin}/control/playbooks/${name}`
      const response = await fetch(url, { method: 'PUT', body: JSON.stringify({ turns }) })
      if (!response.ok) throw new Error(`the lab refused the playbook ${name}: ${await response.text()}`)
    },
    stop: () => server.stop(true),
  }
}

const authorizationOf = (headers: Headers): string =>
  headers.get('authorization') ?? headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? ''

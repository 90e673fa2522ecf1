import { join } from 'node:path'

export const CHANNEL_KINDS = ['openai', 'anthropic', 'gemini', 'custom'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** The model of each channel. Names of real models bring their facts and rules. */
export const MODELS: Readonly<Record<ChannelKind, string>> = {
  openai: 'gpt-5.5',
  anthropic: 'claude-sonnet-4-5-20250929',
  gemini: 'gemini-3.1-pro-preview',
  custom: 'deepseek-chat',
}

/** A package of a client, at a fixed version. */
export interface PinnedPackage {
  readonly registry: 'npm' | 'pypi'
  readonly name: string
  readonly version: string
}

/** A call of one of the agent's tools. */
export interface AgentCall {
  readonly tool: string
  /** An object, or text for a tool that takes free text. */
  readonly arguments: unknown
}

/** Where an agent runs, and what it connects to. */
export interface Workspace {
  /** The agent's own home, empty at the start of a task. */
  readonly home: string
  /** The folder that the agent works in. */
  readonly folder: string
  /** The folder of the installed clients. */
  readonly clients: string
  /** URL of the gateway without a trailing slash. */
  readonly gateway: string
  readonly key: string
  readonly model: string
  /** Whether the agent is told no model and chooses its own. */
  readonly usesDefaultModel: boolean
  /** Kind of the only channel. */
  readonly kind: ChannelKind
  /** Whether the agent compacts its conversation after a few thousand tokens. */
  readonly compactsEarly: boolean
  /** The command of an MCP server with the name `notes`; none by default. */
  readonly mcpServer?: readonly [program: string, ...args: string[]] | undefined
  /** Whether it gives up after `ATTEMPTS` failures of the server, which by default takes some agents minutes. */
  readonly givesUpEarly: boolean
}

export const ATTEMPTS = 3

/** One start of the agent. */
export interface AgentTurn {
  readonly prompt: string
  /** Whether it continues the conversation of the turn before. */
  readonly isResumed?: boolean
  /** File name of a image in the folder that belongs to the prompt. */
  readonly image?: string
}

/** Calls of the agent's tools by what they do. A text says why the agent has no such tool. */
export interface AgentActions {
  /** Replaces a text of an existing file. */
  edit(file: EditedFile): readonly (readonly AgentCall[])[]
  /** The text of a response that changes a file, for agents that call no tools. */
  editText?(file: EditedFile): string
  run(command: string): AgentCall
  /** Gives a task that writes `path` to a nested agent. */
  delegate: ((prompt: string, path: string) => readonly (readonly AgentCall[])[]) | string
  /**
   * Searches the web with a tool of the agent, in calls one after another. `hosted` when the provider searches within
   * its response.
   */
  search: ((query: string) => readonly AgentCall[]) | 'hosted' | { readonly lacks: string }
  /** Calls a tool of the MCP server `notes`, in responses one after another. Absent where none is configured here. */
  callMcp?(tool: string, args: object): readonly (readonly AgentCall[])[]
  /** The call with which a nested agent ends, for agents that need one. */
  completion?(text: string): AgentCall
  /** Reads an image, for agents that take none with a prompt. */
  look?(image: string): AgentCall
}

export interface EditedFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

export interface Agent {
  /** As `--agent` selects it. */
  readonly name: string
  readonly title: string
  readonly packages: readonly PinnedPackage[]
  /** Models that it asks for beside the chosen one. */
  readonly otherModels: readonly string[]
  /** Writes its configuration and returns its environment. */
  configure(workspace: Workspace): Readonly<Record<string, string>>
  command(workspace: Workspace, turn: AgentTurn): readonly string[]
  actions(workspace: Workspace): AgentActions
  /** Why it cannot do a task, by the name of the task, or by a kind of channel and the task: `custom web-search`. */
  readonly lacks?: Readonly<Record<string, string>>
  /** Why it repeats a request that its token cannot pay, and so ends late. */
  readonly repeatsUnpaid?: string
  /** A bug of this version: the error with which the provider rejects its request. */
  readonly defect?: { readonly providerError: RegExp; readonly note: string }
  /** The prompt that compacts the conversation. Absent when the agent compacts by itself beyond a size. */
  readonly compactPrompt?: string
}

/** For agents that need a newer Node than this project: npm has the executable of each platform as a package. */
export const NEWER_NODE: PinnedPackage = {
  registry: 'npm',
  name: `node-${process.platform}-${process.arch}`,
  version: '22.23.3',
}

/** Runs a command of an agent's package with it. */
export const withNewerNode = (clients: string, command: string): readonly string[] => [
  join(clients, 'node_modules', NEWER_NODE.name, 'bin', 'node'),
  join(clients, 'node_modules/.bin', command),
]

/** The argument of Claude Code and opencode that names the kind of a nested agent. */
export const NESTED_TYPE: string = ['sub', 'agent_type'].join('')

/** A change in the format of Codex's `apply_patch`. */
export const patchOf = (path: string, before: string, after: string): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`

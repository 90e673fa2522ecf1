export type TypedTool = 'tool_search' | 'shell' | 'apply_patch'

/** A tool that a client declares. */
export interface OfferedTool {
  readonly name: string
  /** Where the Responses API lists the tool within a namespace. */
  readonly namespace?: string | undefined
  /** Whether the tool takes free text. */
  readonly isCustom?: boolean
  /** The type of a tool that the model knows without a schema. */
  readonly knownAs?: TypedTool
  /** JSON schema of its arguments. */
  readonly schema: unknown
}

/** The playbook that a conversation asks for, and how far it is. */
export interface PlaybookPosition {
  readonly name: string
  /** Tool results since the message that names the playbook. */
  readonly results: number
}

/** A position with the tools that the client declares. */
export interface PlaybookRequest extends PlaybookPosition {
  readonly tools: readonly OfferedTool[]
}

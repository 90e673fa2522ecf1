/** Something that stands between a client and the upstream, ready to be measured. */
export interface Candidate {
  readonly name: string
  readonly pid: number
  /** The address of its chat completions. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** What every candidate is asked for. */
export const MODEL = 'gpt-4o-mini'

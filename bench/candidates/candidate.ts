/** A running gateway or proxy to measure. */
export interface Candidate {
  readonly name: string
  readonly version?: string
  readonly pid: number
  /** The URL of its chat completions. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** What it calls the model, unless as the upstream does. */
  readonly model?: string
  stop(): Promise<void>
}

/** The model of every request. */
export const MODEL = 'gpt-4o-mini'

import type { Json } from '../normalise.ts'
import type { GoldenCall, GoldenCase, GoldenResponse } from '../recorder.ts'

const AT_ONCE = 'task-ms-0'

/** A member of a response; empty where it has none. */
export const field = (json: Json, name: string): Json =>
  (typeof json === 'object' && json !== null && Object.entries(json).find(([key]) => key === name)?.[1]) || ''

const hasEnded = ({ json }: GoldenResponse): boolean =>
  ['SUCCESS', 'FAILURE'].includes(String(field(json, 'status') || field(field(json, 'data'), 'status')))

interface TaskCalls {
  /** The call that submits a task which the lab ends as `fault` says. */
  submit(fault: string): GoldenCall
  /** Where the response to it says that the task is found. */
  pathOf(json: Json): string
}

/** A task that succeeds and one that fails. Both are submitted before the first is awaited: the gateway looks for tasks once a second. */
export const runTasks =
  (shared: Partial<GoldenCall>, { submit, pathOf }: TaskCalls): GoldenCase =>
  async client => {
    const paths: string[] = []
    for (const fault of [AT_ONCE, `${AT_ONCE}+task-fail`])
      paths.push(pathOf((await client.call({ ...submit(fault), ...shared })).json))
    for (const path of paths) await client.poll({ method: 'GET', path, ...shared }, hasEnded)
  }

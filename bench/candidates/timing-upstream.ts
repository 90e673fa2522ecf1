import { join } from 'node:path'
import { freePort } from '../../tests/harness/free-port.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

/** A running upstream of `timing-upstream-server.ts`. */
export interface TimingUpstream extends StartedProcess {
  /** Base URL for channels, without a trailing slash. */
  readonly url: string
}

interface TimingUpstreamOptions {
  readonly events: number
  readonly paceMs: number
  /** Absent or 0: any free port. */
  readonly port?: number
}

/** Starts the upstream whose events carry the time at which they were sent. */
export async function startTimingUpstream(options: TimingUpstreamOptions): Promise<TimingUpstream> {
  const { events, paceMs } = options
  const port = options.port || (await freePort())
  const url = `http://127.0.0.1:${port}`
  const program = join(import.meta.dir, '..', 'timing-upstream-server.ts')
  const command = [process.execPath, program, String(port), String(events), String(paceMs)]
  return { url, ...(await startProcess({ command, url })) }
}

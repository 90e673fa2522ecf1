import { join } from 'node:path'
import { freePort } from '../../tests/harness/free-port.ts'
import type { Candidate } from './candidate.ts'
import { startProcess } from './start-process.ts'

/** Starts the bare proxy of `floor-server.ts`. */
export async function startFloor(upstream: string): Promise<Candidate> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = join(import.meta.dir, '..', 'floor-server.ts')
  const started = await startProcess({ command: [process.execPath, program, String(port), upstream], url })
  return {
    name: 'floor',
    ...started,
    url: `${url}/v1/chat/completions`,
    headers: { authorization: 'Bearer any' },
  }
}

import { expect, test } from 'bun:test'
import { freePort } from '../../tests/harness/free-port.ts'
import { findListeningProcess } from './listening-process.ts'

test.if(process.platform === 'linux')(
  'the process behind a port is found, and none behind a free one',
  async () => {
    const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    expect(findListeningProcess(server.port)).toBe(process.pid)
    server.stop(true)
    expect(findListeningProcess(await freePort())).toBeUndefined()
  },
)

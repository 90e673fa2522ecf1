import { parseArgs } from 'node:util'
import type { Command } from '../feature.ts'
import { waitForStopSignal } from './graceful-shutdown.ts'

const DEFAULT_PORT = '3100'
const PORT_MAX = 65_535
const EXIT_USAGE_ERROR = 2

/** `tollgate lab`: runs the fault lab on its own until a stop signal. */
export const lab: Command = {
  summary: 'run the fault lab: an upstream for tests that fails on request',
  usage: `Usage: tollgate lab [--port N] [--host ADDRESS]

Runs the fault lab, an upstream that speaks every format and fails on request, until it receives SIGINT or SIGTERM.

  --port N         the port (default 3100; 0 for any free port)
  --host ADDRESS   the address to listen on (default 127.0.0.1)
`,
  takesArguments: true,
  run: runLab,
}

async function runLab(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: DEFAULT_PORT },
      host: { type: 'string', default: '127.0.0.1' },
    },
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    process.stderr.write(`--port must be a whole number from 0 to ${PORT_MAX}, found ${values.port}\n`)
    return EXIT_USAGE_ERROR
  }
  const { serveLab } = await import('../lab/open-lab.ts')
  const server = serveLab({ port, host: values.host })
  process.stdout.write(`The fault lab is running at ${server.url} (open it to see how to use it).\n`)
  await waitForStopSignal()
  await server.stop()
  return 0
}

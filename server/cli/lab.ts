import { parseArgs } from 'node:util'
import { serveLab } from '../lab/serve-lab.ts'
import { toldToStop } from './told-to-stop.ts'

const USUAL_PORT = '3100'
const PORT_MAX = 65_535

/**
 * `tollgate lab [--port N] [--host ADDRESS]`: serves the fault lab alone until it is told to stop.
 * Gives the exit code.
 */
export async function lab(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: USUAL_PORT },
      host: { type: 'string', default: '127.0.0.1' },
    },
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    process.stderr.write(`--port must be a whole number from 0 to ${PORT_MAX}, found ${values.port}\n`)
    return 2
  }
  const served = serveLab({ port, host: values.host })
  process.stdout.write(`The fault lab answers at ${served.url} (open it to see how to use it).\n`)
  await toldToStop()
  await served.stop()
  return 0
}

import type { Command } from '../feature.ts'
import { lab } from './lab.ts'
import { rootPassword } from './root-password.ts'
import { serve } from './serve.ts'
import { verify } from './verify.ts'

/** The commands of the base by name; features add theirs. */
export const BASE_COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'run the gateway and its console on one port (the default)',
    usage: `Usage: tollgate serve

Runs the gateway and its console on one port until it receives SIGINT or SIGTERM.
Settings are environment variables, among them:

  PORT             the port (default 3000)
  HOST             the address to listen on (default 0.0.0.0)
  DATA_DIR         the folder of the embedded database (default ./data)
  DATABASE_URL     a PostgreSQL database to use instead, postgres://…

All of them are described in README.md.
`,
    takesArguments: false,
    run: serve,
  },
  lab: {
    summary: 'run the fault lab: an upstream for tests that fails on request',
    usage: `Usage: tollgate lab [--port N] [--host ADDRESS]

Runs the fault lab, an upstream that speaks every format and fails on request, until it receives SIGINT or SIGTERM.

  --port N         the port (default 3100; 0 for any free port)
  --host ADDRESS   the address to listen on (default 127.0.0.1)
`,
    takesArguments: true,
    run: lab,
  },
  verify: {
    summary: 'recompute every balance from the postings and report the drift',
    usage: `Usage: tollgate verify

Recomputes every balance from the postings and prints what differs, and charges that only the journals of this machine know.
It may run beside the gateway.
Exits with 0 when the drift is 0, otherwise with 1.
`,
    takesArguments: false,
    run: verify,
  },
  'root-password': {
    summary: 'give the root account a new random password and print it',
    usage: `Usage: tollgate root-password

Gives the root account a new random password, prints it once, and ends all sessions of the account.
`,
    takesArguments: false,
    run: rootPassword,
  },
}

import type { Command } from '../feature.ts'
import { lab } from './lab.ts'
import { serve } from './serve.ts'

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
  lab,
}

/** Names of the commands of `tollgate`. */
export type CommandName =
  | 'serve'
  | 'lab'
  | 'verify'
  | 'doctor'
  | 'import'
  | 'export'
  | 'root-password'
  | 'help'

export const USAGE = `Usage: tollgate [COMMAND] [OPTIONS]

Commands:
  serve            run the gateway and its console on one port (the default)
  lab              run the fault lab: an upstream for tests that fails on request
  verify           recompute every balance from the postings and report the drift
  doctor           check port, disk, clock, database, key and network, and say what to mend
  import           bring users, tokens, balances and channels of another gateway
  export           write users, tokens, balances and channels as one document
  root-password    give the root account a new random password and print it
  help             print this page

Options:
  -h, --help       print this page; after a command, the usage of that command
  -v, --version    print the version

Environment variables are described in README.md.
`

export const COMMAND_USAGE: Readonly<Record<CommandName, string>> = {
  serve: `Usage: tollgate serve

Runs the gateway and its console on one port until it receives SIGINT or SIGTERM.
Settings are environment variables, among them:

  PORT             the port (default 3000)
  HOST             the address to listen on (default 0.0.0.0)
  DATA_DIR         the folder of the embedded database (default ./data)
  DATABASE_URL     a PostgreSQL database to use instead, postgres://…

All of them are described in README.md.
`,
  lab: `Usage: tollgate lab [--port N] [--host ADDRESS]

Runs the fault lab, an upstream that speaks every format and fails on request, until it receives SIGINT or SIGTERM.

  --port N         the port (default 3100; 0 for any free port)
  --host ADDRESS   the address to listen on (default 127.0.0.1)
`,
  verify: `Usage: tollgate verify

Recomputes every balance from the postings and prints what differs. It may run beside the gateway.
Exits with 0 when the drift is 0, otherwise with 1.
`,
  doctor: `Usage: tollgate doctor [--json | --ready]

Checks what the gateway needs: settings, port, disk, files, database, secret key, clock, hosts of channels and trusted
proxies. Says what to mend, in Chinese when LANG is. It may run beside the gateway. Exits with 1 when a check fails.

  --json           print the results as JSON
  --ready          check only whether the gateway on this machine is ready, for health checks of containers
`,
  import: `Usage: tollgate import SOURCE [--dry-run] [--report FILE] [--logs 90d]

Brings users with their passwords, tokens with their keys, balances, channels, codes and options of another gateway:
new-api, one-api, one-hub or LiteLLM. SOURCE is a SQLite file, mysql://…, postgres://… or LiteLLM's config.yaml; it is
only read. Stop the other gateway first. A second import brings only what is new.

  --dry-run        report what would come and what would not, and write nothing
  --report FILE    write the whole report to a file, as JSON
  --logs 90d       bring the log rows of the last 90 days too; all: every row
  --salt-key KEY   the key that decrypts LiteLLM's models (default: the variable LITELLM_SALT_KEY)
`,
  export: `Usage: tollgate export FILE [--with-secrets]

Writes users, tokens, channels, options and balances as one JSON document, which import reads. It may run beside the
gateway. docs/reference/export.md describes the document.

  --with-secrets   include passwords, keys and secret options, encrypted with the passphrase in EXPORT_PASSPHRASE
`,
  'root-password': `Usage: tollgate root-password

Gives the root account a new random password, prints it once, and ends all sessions of the account.
`,
  help: `Usage: tollgate help

Prints the usage of tollgate.
`,
}

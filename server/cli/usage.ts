/** Names of the commands of `tollgate`. */
export type CommandName =
  | 'serve'
  | 'lab'
  | 'verify'
  | 'doctor'
  | 'backup'
  | 'restore'
  | 'upgrade'
  | 'import'
  | 'export'
  | 'move'
  | 'root-password'
  | 'help'

export const USAGE = `Usage: tollgate [COMMAND] [OPTIONS]

Commands:
  serve            run the gateway and its console on one port (the default)
  lab              run the fault lab: an upstream for tests that fails on request
  verify           recompute every balance from the postings and report the drift
  doctor           check port, disk, clock, database, key and network, and say what to mend
  backup           copy the database to a file while the gateway serves, and check the copy
  restore          make a backup the database of this installation
  upgrade          say what the next start of this version does to the database
  import           bring users, tokens, balances and channels of another gateway
  move             copy the whole database to another engine or server
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
  backup: `Usage: tollgate backup FILE [--key FILE]
       tollgate backup FOLDER [--key FILE] [--keep N]

Copies the database to a file while the gateway serves, opens the copy and recomputes its balances. The file is a SQLite
database, also when the gateway uses PostgreSQL. Exits with 1 when the copy cannot be made or its books do not balance.

  FOLDER           the file is named after the time
  --keep N         keep only the newest N such files of the folder
  --key FILE       write the secret key to a file of its own, to be stored apart from the backup

BACKUP_DIR makes the gateway do this by itself: docs/operations/backup.md.
`,
  restore: `Usage: tollgate restore FILE [--key FILE] [--replace]

Makes a backup the database of this installation: the file in DATA_DIR, or the empty PostgreSQL database of DATABASE_URL,
whichever the backup was made of. Stop the gateway first. Everything is checked before the first change.

  --key FILE       the secret key that was stored with the backup; becomes that of this installation if it has none
  --replace        put the backup in the place of the embedded database, which is kept under another name
`,
  upgrade: `Usage: tollgate upgrade --check

Compares the database with this version and says what its first start would do and what to know before. Changes nothing.
Exits with 1 when this version cannot run on the database.
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
  move: `Usage: tollgate move --to PLACE

Copies the whole database to another engine or server while the gateway is stopped, compares the checksums of every table, and
recomputes the books on both sides. PLACE is postgres://… of an empty database, or a file that does not exist. The database of
DATA_DIR or DATABASE_URL is only read. An interrupted move leaves PLACE empty: run it again.
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
